import type { Taint, Toleration } from '@berth/types'

/**
 * Whether the toleration bears the taint. The comparing operators Lt and Gt never do: their feature gate is off.
 *
 * @see k8s.io/api core/v1/toleration.go ToleratesTaint (v1.36)
 */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  const { key, operator, value, effect } = written(toleration)
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  if (operator === '' || operator === 'Equal') return value === (taint.value ?? '')
  return operator === 'Exists'
}

/** From here on looking a taint up is quicker than asking every toleration. */
const MANY = 16

/**
 * Makes a list of tolerations ready to be asked about taints: whether at least one bears it. With many of them an
 * answer takes as long as with few.
 */
export function tolerationTest(given: readonly Toleration[] | undefined): (taint: Taint) => boolean {
  const tolerations = given ?? []
  if (tolerations.length < MANY) {
    return (taint) => tolerations.some((toleration) => toleratesTaint(toleration, taint))
  }
  const borne: Borne = new Map()
  for (const toleration of tolerations) {
    const { key, operator, value, effect } = written(toleration)
    if (operator === 'Exists') addTo(borne, effect, key, ANY_VALUE)
    else if (operator === '' || operator === 'Equal') addTo(borne, effect, key, value)
  }
  return ({ effect, key, value }) =>
    bears(borne.get(effect), key, value ?? '') || bears(borne.get(''), key, value ?? '')
}

/** A null, as YAML may have it, is what is absent. */
function written({ key, operator, value, effect }: Toleration): Required<Omit<Toleration, 'tolerationSeconds'>> {
  return { key: key ?? '', operator: operator ?? '', value: value ?? '', effect: effect ?? '' }
}

const ANY_VALUE = Symbol('any value')

/** Values by key, where `''` is any. Words are looked up as they stand: making one text of them costs more than that. */
type ValuesByKey = Map<string, Set<string | typeof ANY_VALUE>>
/** By effect, where `''` is any. */
type Borne = Map<string, ValuesByKey>

function addTo(borne: Borne, effect: string, key: string, value: string | typeof ANY_VALUE): void {
  const byKey: ValuesByKey = borne.get(effect) ?? new Map()
  const values = byKey.get(key) ?? new Set()
  values.add(value)
  byKey.set(key, values)
  borne.set(effect, byKey)
}

function bears(byKey: ValuesByKey | undefined, key: string, value: string): boolean {
  return byKey !== undefined && (holds(byKey.get(key), value) || holds(byKey.get(''), value))
}

function holds(values: ReadonlySet<string | typeof ANY_VALUE> | undefined, value: string): boolean {
  return values !== undefined && (values.has(ANY_VALUE) || values.has(value))
}
