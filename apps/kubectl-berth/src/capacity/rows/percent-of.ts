/** Returns the share of a whole in percent, rounded to a whole number; undefined when the whole is not positive. */
export function percentOf(part: bigint, whole: bigint): number | undefined {
  return whole <= 0n ? undefined : Number((part * 200n + whole) / (whole * 2n))
}
