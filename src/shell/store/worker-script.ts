// Where the store's worker stands: beside this file in the bundle.

export const storeWorkerScript = (): URL => new URL('./store-worker.js', import.meta.url);
