// The tier of every method, as data. A method that is not in the table is denied, never defaulted.

export const TIERS = ['read', 'control', 'attach'] as const;
export type Tier = (typeof TIERS)[number];

export interface MethodRule {
  readonly tier: Tier;
  /** Refused to any process that one of our runs started, whatever its tier. */
  readonly operatorOnly?: boolean;
}

export const METHOD_RULES: Readonly<Record<string, MethodRule>> = {
  'harness.v1.ControlService/DaemonInfo': { tier: 'read' },
  'harness.v1.ControlService/List': { tier: 'read' },
  'harness.v1.ControlService/Describe': { tier: 'read' },
  'harness.v1.ControlService/Runs': { tier: 'read' },
  'harness.v1.ControlService/Logs': { tier: 'read' },
  'harness.v1.ControlService/Wait': { tier: 'read' },
  'harness.v1.ControlService/Trigger': { tier: 'control' },
  'harness.v1.ControlService/Stop': { tier: 'control' },
  'harness.v1.ControlService/Start': { tier: 'control' },
  'harness.v1.ControlService/Restart': { tier: 'control' },
  'harness.v1.ControlService/Enable': { tier: 'control' },
  'harness.v1.ControlService/Disable': { tier: 'control' },
  'harness.v1.ControlService/ProjectUp': { tier: 'attach' },
  'harness.v1.ControlService/ProjectDown': { tier: 'attach' },
  'harness.v1.ControlService/ScratchRun': { tier: 'attach' },
  'harness.v1.ControlService/Remove': { tier: 'attach' },
  'harness.v1.AttachService/Attach': { tier: 'attach' },
  'harness.v1.AttachService/Watch': { tier: 'read' },
  'harness.v1.ControlService/Reload': { tier: 'control', operatorOnly: true },
  'harness.v1.MemoryService/Status': { tier: 'read' },
  'harness.v1.MemoryService/ListEpisodes': { tier: 'read' },
  'harness.v1.MemoryService/GetEpisode': { tier: 'read' },
  'harness.v1.MemoryService/Recall': { tier: 'read' },
  'harness.v1.MemoryService/GetBriefing': { tier: 'read' },
  'harness.v1.OperateService/BackupStore': { tier: 'attach', operatorOnly: true },
  'harness.v1.OperateService/StoreStatus': { tier: 'read' },
  'harness.v1.OperateService/ExportLedger': { tier: 'read' },
  'harness.v1.OperateService/DoctorFacts': { tier: 'read' },
};

export type Refusal = 'unauthenticated' | 'tier_too_low' | 'supervised' | 'unknown_method';

/** Whether a caller may call a method; tiers are cumulative. */
export const authorizeMethod = (method: string, tier: Tier | undefined, supervised: boolean): Refusal | undefined => {
  const rule = Object.hasOwn(METHOD_RULES, method) ? METHOD_RULES[method] : undefined;
  if (tier === undefined) return 'unauthenticated';
  if (rule === undefined) return 'unknown_method';
  if (TIERS.indexOf(tier) < TIERS.indexOf(rule.tier)) return 'tier_too_low';
  return rule.operatorOnly === true && supervised ? 'supervised' : undefined;
};
