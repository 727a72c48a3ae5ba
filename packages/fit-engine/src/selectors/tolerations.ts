import type { Taint, Toleration } from '@berth/types'

/**
 * Returns whether the toleration tolerates the taint. Lt and Gt never do, because their feature gate is off by default.
 *
 * @see k8s.io/api core/v1/toleration.go ToleratesTaint (v1.36)
 */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  const { key, operator, value, effect } = withoutNulls(toleration)
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  if (operator === '' || operator === 'Equal') return value === (taint.value ?? '')
  return operator === 'Exists'
}

/** Returns whether a pod must tolerate the taint to be placed on the node. */
export function keepsPodsOff({ effect }: Taint): boolean {
  return effect === 'NoSchedule' || effect === 'NoExecute'
}

/** From this number on, an index lookup is faster than testing every toleration. */
const MIN_INDEXED_TOLERATIONS = 16

/**
 * Returns a function that tells whether at least one of the tolerations tolerates a taint. A long list is indexed, so
 * that the time of a call does not grow with it.
 */
export function tolerationMatcher(given: readonly Toleration[] | undefined): (taint: Taint) => boolean {
  const tolerations = given ?? []
  if (tolerations.length < MIN_INDEXED_TOLERATIONS) {
    return (taint) => tolerations.some((toleration) => toleratesTaint(toleration, taint))
  }
  const index: TolerationIndex = new Map()
  for (const toleration of tolerations) {
    const { key, operator, value, effect } = withoutNulls(toleration)
    if (operator === 'Exists') addValue(index, effect, key, ANY_VALUE)
    else if (operator === '' || operator === 'Equal') addValue(index, effect, key, value)
  }
  return ({ effect, key, value }) =>
    toleratesKey(index.get(effect), key, value ?? '') || toleratesKey(index.get(''), key, value ?? '')
}

/** Replaces nulls, which YAML may contain, and absent fields by the empty string. */
function withoutNulls({ key, operator, value, effect }: Toleration): Required<Omit<Toleration, 'tolerationSeconds'>> {
  return { key: key ?? '', operator: operator ?? '', value: value ?? '', effect: effect ?? '' }
}

const ANY_VALUE = Symbol('any value')

/** Values by key; the key `''` stands for any key. Nested maps are faster than one map with joined keys. */
type ValuesByKey = Map<string, Set<string | typeof ANY_VALUE>>
/** By effect; `''` stands for any effect. */
type TolerationIndex = Map<string, ValuesByKey>

function addValue(index: TolerationIndex, effect: string, key: string, value: string | typeof ANY_VALUE): void {
  const byKey: ValuesByKey = index.get(effect) ?? new Map()
  const values = byKey.get(key) ?? new Set()
  values.add(value)
  byKey.set(key, values)
  index.set(effect, byKey)
}

function toleratesKey(byKey: ValuesByKey | undefined, key: string, value: string): boolean {
  return byKey !== undefined && (includesValue(byKey.get(key), value) || includesValue(byKey.get(''), value))
}

function includesValue(values: ReadonlySet<string | typeof ANY_VALUE> | undefined, value: string): boolean {
  return values !== undefined && (values.has(ANY_VALUE) || values.has(value))
}
