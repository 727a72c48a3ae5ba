/** Says which objects this user may not list, so that an answer was made without them. Empty if there are none. */
export function evaluatedWithout(plurals: readonly string[]): readonly string[] {
  return plurals.length === 0 ? [] : [`Evaluated without ${plurals.join(', ')}: this user may not list them.`]
}
