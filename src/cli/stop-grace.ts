// How long ends may take: what a run is given, and what a service manager must give a daemon that ends its runs.

/** Between the signal that asks a run to end and the one that makes it. */
export const STOP_GRACE_MS = 10_000;
/** Runs are stopped together; the ledger is drained and the last episodes are recorded after that. */
export const SERVICE_STOP_SECONDS = 45;
