/** Amounts of resources by name, in thousandths of a unit. */
export type Amounts = ReadonlyMap<string, bigint>

const FACTORS: Readonly<Record<string, bigint>> = {
  '': 1n,
  k: 10n ** 3n,
  M: 10n ** 6n,
  G: 10n ** 9n,
  T: 10n ** 12n,
  P: 10n ** 15n,
  E: 10n ** 18n,
  Ki: 2n ** 10n,
  Mi: 2n ** 20n,
  Gi: 2n ** 30n,
  Ti: 2n ** 40n,
  Pi: 2n ** 50n,
  Ei: 2n ** 60n,
}
const SMALL: Readonly<Record<string, bigint>> = { m: 10n ** 3n, u: 10n ** 6n, n: 10n ** 9n }
const SHAPE =
  /^(?<sign>[+-]?)(?<whole>\d*)(?:\.(?<part>\d*))?(?:(?<suffix>[munkMGTPE]|[KMGTPE]i)|[eE](?<exponent>[+-]?\d{1,2}))?$/

/**
 * Returns a quantity in thousandths of a unit, rounded up as Kubernetes does.
 *
 * @throws RangeError for a text that is not a quantity.
 */
export function thousandths(quantity: string | number): bigint {
  const text = String(quantity).trim()
  const { sign, whole = '', part = '', suffix = '', exponent = '0' } = SHAPE.exec(text)?.groups ?? {}
  if (sign === undefined || `${whole}${part}` === '') throw new RangeError(`not a quantity: ${text}`)
  const power = Number(exponent)
  let top = BigInt(`${whole}${part}`) * 1_000n * (FACTORS[suffix] ?? 1n) * 10n ** BigInt(Math.max(0, power))
  if (sign === '-') top = -top
  const bottom = 10n ** BigInt(part.length + Math.max(0, -power)) * (SMALL[suffix] ?? 1n)
  const quotient = top / bottom
  return top > 0n && top % bottom !== 0n ? quotient + 1n : quotient
}

/** Returns a resource list as amounts. Quantities that cannot be read are left out. */
export function amountsOf(list: Readonly<Record<string, string | number>> | undefined): Amounts {
  const amounts = new Map<string, bigint>()
  for (const [name, quantity] of Object.entries(list ?? {})) {
    try {
      amounts.set(name, thousandths(quantity))
    } catch {
      continue
    }
  }
  return amounts
}

/** Adds amounts. */
export function addAmounts(to: Map<string, bigint>, amounts: Amounts): void {
  for (const [name, amount] of amounts) to.set(name, (to.get(name) ?? 0n) + amount)
}

/** Returns thousandths as a readable number. */
export function amountText(amount: bigint): string {
  return String(Number(amount) / 1_000)
}
