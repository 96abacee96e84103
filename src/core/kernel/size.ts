// Sizes of files as people read them.

export const KIB = 1_024;
export const MIB = 1_024 * KIB;
export const GIB = 1_024 * MIB;

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `612 bytes`, `1.2 MiB`: one digit after the point where there is a unit. */
export const formatSize = (bytes: number): string => {
  const power = bytes < KIB ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  return power === 0 ? `${bytes} bytes` : `${(bytes / KIB ** power).toFixed(1)} ${UNITS[power]}`;
};
