// Renders the argv of a prompt run from an adapter's template: each element stays one argument, the prompt is the last.
import * as E from 'fp-ts/lib/Either.js';
import type { Adapter, OptionName } from './declaration.js';

/** What a harness sets; `true` switches a flag on, an absent or false one renders nothing. */
export type OptionValues = Readonly<Partial<Record<OptionName, string | number | boolean | readonly string[]>>>;

export interface OneShotValues {
  readonly options: OptionValues;
  readonly session_id: string;
  readonly prompt: string;
}

export type RenderError = { readonly code: 'unsupported_option'; readonly adapter: string; readonly option: OptionName };

/** The arguments after the executable. Nothing but the template adds an argument. */
export const renderOneShot = (adapter: Adapter, values: OneShotValues): E.Either<RenderError, readonly string[]> => {
  const unsupported = unsupportedOption(adapter, values.options);
  if (unsupported !== undefined) return E.left({ code: 'unsupported_option', adapter: adapter.name, option: unsupported });
  return E.right(adapter.one_shot.flatMap((element) => renderElement(adapter, element, values)));
};

/** The first option set that the adapter does not spell. */
export const unsupportedOption = (adapter: Adapter, options: OptionValues): OptionName | undefined =>
  (Object.keys(options) as OptionName[]).find((name) => isSet(options[name]) && adapter.options[name] === undefined);

const renderElement = (adapter: Adapter, element: string, { options, session_id, prompt }: OneShotValues): readonly string[] => {
  if (element === '{{prompt}}') return [prompt];
  if (element === '{{session_id}}') return [session_id];
  const option = /^\{\{opt\.([a-z_]+)\}\}$/.exec(element)?.[1] as OptionName | undefined;
  if (option === undefined) return [element];
  const value = options[option];
  return isSet(value) ? (adapter.options[option] ?? []).flatMap((part) => renderPart(part, value)) : [];
};

const renderPart = (part: string, value: OptionValues[OptionName]): readonly string[] => {
  if (part === '{{values}}') return Array.isArray(value) ? value.map(String) : [String(value)];
  return [part === '{{value}}' ? String(value) : part];
};

const isSet = (value: OptionValues[OptionName]): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
