/** Lists names for a sentence: `a, b and 4 more` if there are more than `max`. Empty without names. */
export function listNames(names: readonly string[], max: number): string {
  const named = names.slice(0, max).join(', ')
  return names.length > max ? `${named} and ${names.length - max} more` : named
}
