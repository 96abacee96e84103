// Times and durations as people read them in a table.

/** `2026-09-30 14:03:07Z`, or `-`. */
export const renderMoment = (instant: string | undefined): string =>
  instant === undefined || instant === '' ? '-' : `${instant.slice(0, 10)} ${instant.slice(11, 19)}Z`;

/** `412 ms`, `4.2 s`, `12 m 5 s`, `3 h 20 m`, or `-`. */
export const renderSpan = (milliseconds: number | undefined): string => {
  if (milliseconds === undefined) return '-';
  if (milliseconds < 1_000) return `${milliseconds} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 60) return `${minutes} m ${Math.floor((milliseconds % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
};
