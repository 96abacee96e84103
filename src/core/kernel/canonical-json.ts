// JSON in one spelling (RFC 8785): keys by UTF-16 unit, shortest numbers, no spaces. Hash input must not depend on key order.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Serializes a JSON value canonically; members that are undefined are left out. */
export const canonicalJson = (value: Json): string => {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort(byUnit)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${members.join(',')}}`;
};

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** RFC 8785 sorts by UTF-16 code unit, unlike everything else here. */
const byUnit = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
