/** Says which objects this user may not list, so that an answer was made without them. Empty if there are none. */
export function evaluatedWithout(plurals: readonly string[]): readonly string[] {
  return plurals.length === 0 ? [] : [`Evaluated without ${plurals.join(', ')}: this user may not list them.`]
}

/** Says which objects cannot be read, so that an answer was made without them. Empty if there are none. */
export function skippedUnreadable(objects: readonly string[]): readonly string[] {
  return objects.length === 0 ? [] : [`Skipped unreadable objects: ${objects.join(', ')}`]
}
