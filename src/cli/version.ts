// The version of this binary; the bundler puts the package's own in place.
declare const HARNESS_VERSION: string | undefined;

export const VERSION: string = typeof HARNESS_VERSION === 'string' ? HARNESS_VERSION : '0.0.0-dev';
