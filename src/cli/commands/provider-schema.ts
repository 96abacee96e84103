// `harness memory provider schema`: the contract's JSON schemas, as this binary checks them. Needs no daemon.
import { CONTRACT_VERSION, PROVIDER_SCHEMAS } from '../../core/provider/contract.js';
import type { Session } from '../session.js';

export const runProviderSchema = (session: Session): void => {
  const schemas = { contract: CONTRACT_VERSION, tools: PROVIDER_SCHEMAS };
  session.print(session.json ? JSON.stringify(schemas) : JSON.stringify(schemas, null, 2));
};
