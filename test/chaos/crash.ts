// `npm run chaos -- crash --seed N [--points N]`: a daemon at work is killed again and again, each time at a moment drawn from the
// seed, until that many kills landed in a run, its close or its recording. Then everything must be there: every line, every run
// closed, every eligible run one episode, no process left.
import { join } from 'node:path';
import type { RunRecord } from '../../src/core/run/record.js';
import { makeRig, type Rig, until } from '../support/rig.js';
import { lossesIn, POINTS, type Point, pointsOf, processesOf, waitingIn } from './aftermath.js';
import { type Dice, seededDice } from './dice.js';
import { AGENTS, configureFleet } from './fleet.js';

export interface CrashReport {
  readonly seed: number;
  readonly kills: number;
  /** Kills that landed in the window. */
  readonly points: number;
  /** A kill may find several runs at several places. */
  readonly hits: Readonly<Record<Point, number>>;
  readonly runs: number;
  readonly losses: readonly string[];
}

/** What the log says just before the moment that is aimed at; the kill comes a little later, or at once. */
const AIMS = ['trigger', 'trigger', 'run_started', 'run_started', 'run_closed', 'run_closed', 'episode_recorded'] as const;
const LATEST_MS = 12;
/** More kills than this beside the window, and the aim is wrong. */
const KILLS_PER_POINT = 4;

export const crash = async (seed: number, wanted: number, tell: (line: string) => void): Promise<CrashReport> => {
  const rig = makeRig();
  configureFleet(rig);
  const campaign = new Campaign(rig, seededDice(seed));
  try {
    while (campaign.points < wanted && campaign.kills < wanted * KILLS_PER_POINT) {
      await campaign.round();
      if (campaign.kills % 25 === 0)
        tell(`seed ${seed}: ${campaign.kills} kills, ${campaign.points} in the window, ${campaign.losses.length} losses`);
    }
    await campaign.settle();
    const { kills, points, hits, losses, acknowledged } = campaign;
    return { seed, kills, points, hits, losses, runs: acknowledged.size };
  } finally {
    if (campaign.losses.length === 0) await rig.dispose();
    else tell(`left to look at: ${rig.dir}`);
  }
};

class Campaign {
  kills = 0;
  points = 0;
  readonly hits: Record<Point, number> = { opened: 0, running: 0, closed: 0, recorded: 0 };
  readonly losses: string[] = [];
  /** Runs that the daemon said it had started, with the highest id by harness. */
  readonly acknowledged = new Set<string>();
  private readonly highest = new Map<string, number>();
  /** Closed records as they were read before a kill. */
  private readonly closed = new Map<string, string>();
  private readonly rig: Rig;
  private readonly dice: Dice;

  constructor(rig: Rig, dice: Dice) {
    this.rig = rig;
    this.dice = dice;
  }

  async round(): Promise<void> {
    await this.rig.start();
    await this.checkRepaired();
    const aim = this.dice.pick(AIMS);
    const harnesses = AGENTS.slice(0, 1 + this.dice.roll(AGENTS.length));
    const before = countOf(this.rig.log(), aim);
    // A kill may cut an answer off: then nothing was acknowledged.
    const firings = harnesses.map((harness) => this.trigger(harness).catch(() => undefined));
    if (aim !== 'trigger') await this.heard(aim, before + 1 + this.dice.roll(harnesses.length));
    await new Promise((resolve) => setTimeout(resolve, this.dice.roll(LATEST_MS)));
    await this.rig.stop('SIGKILL');
    await Promise.all(firings);
    this.kills += 1;
    this.count(pointsOf(this.rig.store));
  }

  /** After the last kill everything is repaired, recorded and sent; a clean stop then leaves nothing running. */
  async settle(): Promise<void> {
    await this.rig.start();
    await this.checkRepaired();
    await until(async () => {
      const { pendingRecords } = await this.rig.daemon().memory.status({});
      return pendingRecords === 0n && pointsOf(this.rig.store).length === 0 ? true : undefined;
    }, 'the last episode to be with the provider').catch(() => this.losses.push(...waitingIn(this.rig.store)));
    await this.rig.stop();
    this.losses.push(...lossesIn(this.rig.store));
    for (const pid of processesOf(join(this.rig.dir, 'state'))) this.losses.push(`process ${pid} is left`);
  }

  private count(points: readonly Point[]): void {
    if (points.length > 0) this.points += 1;
    for (const point of points) this.hits[point] += 1;
  }

  private async trigger(harness: string): Promise<void> {
    const { runId, decision } = await this.rig.daemon().control.trigger({ harness });
    if (decision !== 'started' || runId === undefined) return;
    const last = this.highest.get(harness) ?? 0;
    if (Number(runId) <= last) this.losses.push(`${harness}#${runId} was given again after ${last}`);
    this.highest.set(harness, Math.max(last, Number(runId)));
    this.acknowledged.add(`${harness}#${runId}`);
  }

  /** Waits for the log to say it that often, for no longer than a round is worth. */
  private async heard(event: string, times: number): Promise<void> {
    for (let polls = 0; polls < 400 && countOf(this.rig.log(), event) < times; polls += 1)
      await new Promise((resolve) => setTimeout(resolve, 2));
  }

  /** A daemon that has just started has closed what was open, and has lost and changed nothing that was told before. */
  private async checkRepaired(): Promise<void> {
    const found = new Map<string, RunRecord>();
    for (const harness of AGENTS)
      for (const { recordJson, open } of (await this.rig.daemon().control.runs({ harness, limit: 1_000 })).runs) {
        // Whether its log is still there is the reader's word, not the record's.
        const { log_pruned: _, ...record } = JSON.parse(recordJson) as RunRecord & { readonly log_pruned?: boolean };
        const text = JSON.stringify(record);
        const name = `${harness}#${record.run_id}`;
        found.set(name, record);
        if (open) this.losses.push(`${name} is open after a start`);
        const before = this.closed.get(name);
        if (before !== undefined && before !== text) this.losses.push(`${name} changed: ${before} became ${text}`);
        this.closed.set(name, text);
      }
    for (const name of this.acknowledged) if (!found.has(name)) this.losses.push(`${name} is lost`);
  }
}

const countOf = (log: string, event: string): number => log.split(`"msg":"${event}"`).length - 1;

/** The report for people, and whether the campaign proved anything. */
export const renderCrash = (
  { seed, kills, points, hits, runs, losses }: CrashReport,
  wanted: number,
): { readonly text: string; readonly ok: boolean } => {
  const missed = POINTS.filter((point) => hits[point] === 0);
  const lines = [
    `crash, seed ${seed}: ${kills} kills, ${points} points hit (${POINTS.map((point) => `${point} ${hits[point]}`).join(', ')})`,
    `${runs} runs acknowledged, losses: ${losses.length}`,
    ...losses.slice(0, 20).map((loss) => `  ${loss}`),
    ...(points < wanted ? [`only ${points} of ${wanted} points were hit: nothing is proven`] : []),
    ...missed.map((point) => `no kill found a run ${point}: nothing is proven`),
  ];
  return { text: lines.join('\n'), ok: losses.length === 0 && points >= wanted && missed.length === 0 };
};
