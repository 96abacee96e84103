// Makes vectors in the background for what has none: because the endpoint was down, the model is another one, or its dimension
// changed. Never in anybody's way: one small batch at a time, and long waits after failures.
import * as E from 'fp-ts/lib/Either.js';
import { FILL_START, type FillEvent, type FillState, GAP_BATCH, stepFilling } from '../../core/provider/gap-filling.js';
import type { World } from '../daemon/world.js';
import type { Embedder } from '../model-api/embeddings.js';
import { describeModelApiError, type ModelApiError } from '../model-api/http.js';
import type { Store } from '../store/operations.js';
import type { EmbedRequest, Gap } from '../store/vector-table.js';

/** Nobody waits for it. */
const BATCH_DEADLINE_MS = 30_000;
const PROBE = 'harness';

export interface GapFiller {
  /** Looks for gaps now instead of later. */
  readonly wake: () => void;
  /** There is a new gap: looked at now, unless it is waited for an endpoint that failed. */
  readonly nudge: () => void;
  /** Why the last attempt failed; undefined when it did not. */
  readonly trouble: () => string | undefined;
  /** A vector had another dimension: the endpoint is asked until it is clear which one is right. */
  readonly suspect: () => void;
  /** There was nothing to do when it last looked. */
  readonly isIdle: () => boolean;
  /** Texts that the endpoint refuses by themselves. */
  readonly refused: () => number;
  readonly close: () => Promise<void>;
}

interface FillerDeps {
  readonly store: Store;
  readonly world: World;
  readonly embedder: Embedder;
}

export const startGapFiller = (deps: FillerDeps): GapFiller => new FillingLoop(deps);

/** Its functions are bound, so each may be handed on by itself. */
class FillingLoop implements GapFiller {
  private readonly deps: FillerDeps;
  private state: FillState = FILL_START;
  /** Keys up to here were looked at in this round. */
  private after = 0;
  /** Whether this round stored a vector. */
  private progressed = false;
  private suspicious = false;
  private idle = false;
  private readonly hopeless = new Set<string>();
  private lastTrouble: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> | undefined;
  private readonly leaving = new AbortController();

  constructor(deps: FillerDeps) {
    this.deps = deps;
    this.wake();
  }

  readonly wake: GapFiller['wake'] = () => {
    if (this.leaving.signal.aborted || this.working !== undefined) return;
    clearTimeout(this.timer);
    this.working = this.round().finally(() => {
      this.working = undefined;
    });
  };

  readonly nudge: GapFiller['nudge'] = () => {
    if (this.state.failures === 0) this.wake();
  };

  readonly suspect: GapFiller['suspect'] = () => {
    if (this.suspicious) return;
    this.suspicious = true;
    this.wake();
  };

  readonly trouble: GapFiller['trouble'] = () => this.lastTrouble;

  readonly isIdle: GapFiller['isIdle'] = () => this.idle;

  readonly refused: GapFiller['refused'] = () => this.hopeless.size;

  readonly close: GapFiller['close'] = async () => {
    // An endpoint that hangs must not hold up a daemon that stops.
    this.leaving.abort();
    clearTimeout(this.timer);
    await this.working;
  };

  private async round(): Promise<void> {
    const { embedder, world } = this.deps;
    const event = await this.fillBatch().catch((error: unknown): FillEvent => this.fail(String(error)));
    if (event.type !== 'failed' && event.type !== 'dimension_changed') this.lastTrouble = undefined;
    this.idle = event.type === 'nothing_missing';
    const step = stepFilling(this.state, event);
    this.state = step.state;
    if (step.adopt !== undefined) {
      world.log.warn({ event: 'embedding_dimension_changed', model: embedder.model, from: embedder.dimension() ?? 0, to: step.adopt });
      embedder.adopt(step.adopt);
      this.suspicious = false;
      this.after = 0;
    }
    if (this.leaving.signal.aborted) return;
    this.timer = setTimeout(this.wake, step.wait);
    this.timer.unref();
  }

  private async fillBatch(): Promise<FillEvent> {
    const { store, embedder } = this.deps;
    const doubt = this.suspicious ? await this.probe() : undefined;
    if (doubt !== undefined) return doubt;
    const dim = embedder.dimension();
    const request = { model_id: embedder.model, ...(dim === undefined ? {} : { dim }), after: this.after, limit: GAP_BATCH };
    const gaps = await store.read('builtinGaps', request);
    const last = gaps[gaps.length - 1];
    if (last === undefined) return this.endRound();
    const event = await this.embedGaps(gaps.filter(({ id }) => !this.hopeless.has(id)));
    if (event.type === 'filled') this.after = last.key;
    return event;
  }

  /** Nothing need be missing for a model to have changed: any text will do. */
  private async probe(): Promise<FillEvent | undefined> {
    const vectors = await this.deps.embedder.embed([PROBE], BATCH_DEADLINE_MS, this.leaving.signal);
    if (E.isLeft(vectors)) return this.failBy(vectors.left);
    this.suspicious = false;
    return undefined;
  }

  /** When nothing is missing, the vectors of other models have no use any more. */
  private async endRound(): Promise<FillEvent> {
    const { store, embedder } = this.deps;
    const { progressed } = this;
    this.after = 0;
    this.progressed = false;
    if (progressed) return { type: 'filled' };
    const dim = embedder.dimension();
    if (dim !== undefined) await store.write('builtinDropVectors', { model_id: embedder.model, dim });
    return { type: 'nothing_missing' };
  }

  private async embedGaps(gaps: readonly Gap[]): Promise<FillEvent> {
    const { embedder } = this.deps;
    const known = gaps.flatMap(({ id, known: values }) => (values === undefined ? [] : [this.request(id, values)]));
    const unknown = gaps.filter((gap) => gap.known === undefined);
    if (known.length > 0) await this.keep(known);
    if (unknown.length === 0) return { type: 'filled' };
    const vectors = await embedder.embed(
      unknown.map(({ text }) => text),
      BATCH_DEADLINE_MS,
      this.leaving.signal,
    );
    if (this.leaving.signal.aborted) return { type: 'failed' };
    if (E.isLeft(vectors)) return isRefusal(vectors.left) ? this.embedSingly(unknown) : this.failBy(vectors.left);
    await this.keep(
      unknown.flatMap(({ id }, index) => (vectors.right[index] === undefined ? [] : [this.request(id, vectors.right[index])])),
    );
    return { type: 'filled' };
  }

  /** One text that the endpoint cannot take must not keep the others without a vector. */
  private async embedSingly(gaps: readonly Gap[]): Promise<FillEvent> {
    const { embedder } = this.deps;
    for (const { id, text } of gaps) {
      const vectors = await embedder.embed([text], BATCH_DEADLINE_MS, this.leaving.signal);
      if (this.leaving.signal.aborted) return { type: 'failed' };
      if (E.isRight(vectors) && vectors.right[0] !== undefined) await this.keep([this.request(id, vectors.right[0])]);
      else if (E.isLeft(vectors) && !isRefusal(vectors.left)) return this.failBy(vectors.left);
      else this.hopeless.add(id);
    }
    return { type: 'filled' };
  }

  private async keep(requests: readonly EmbedRequest[]): Promise<void> {
    await this.deps.store.write('builtinEmbed', requests);
    this.progressed = true;
  }

  private failBy(error: ModelApiError): FillEvent {
    if (error.code !== 'dimension_changed') return this.fail(describeModelApiError(error));
    this.lastTrouble = describeModelApiError(error);
    return { type: 'dimension_changed', to: error.to };
  }

  private fail(why: string): FillEvent {
    const { world, embedder } = this.deps;
    if (this.lastTrouble !== why) world.log.warn({ event: 'embedding_failed', model: embedder.model, error: why });
    this.lastTrouble = why;
    return { type: 'failed' };
  }

  private request(id: string, values: Float32Array): EmbedRequest {
    return { id, vector: { model_id: this.deps.embedder.model, values } };
  }
}

/** The endpoint is well, and says no to what it was given: a limit of length, a text it cannot read. */
const isRefusal = (error: ModelApiError): boolean =>
  error.code === 'parse' || error.code === 'too_large' || (error.code === 'http_status' && [400, 413, 422].includes(error.status));
