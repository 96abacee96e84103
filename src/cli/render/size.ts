// Sizes of files as people read them.

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const STEP = 1_024;

/** `612 bytes`, `1.2 MiB`: one digit after the point where there is a unit. */
export const renderSize = (bytes: number): string => {
  const power = bytes < STEP ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  return power === 0 ? `${bytes} bytes` : `${(bytes / STEP ** power).toFixed(1)} ${UNITS[power]}`;
};
