import type { Pod } from '@berth/types'

/**
 * Returns a function that computes a value once per pod object, because hints of a waiting pod are called for every event.
 * It relies on pods never being changed in place. If the computation throws, the next call repeats it.
 */
export function cachedByPod<T extends object>(compute: (pod: Pod) => T): (pod: Pod) => T {
  const values = new WeakMap<Pod, T>()
  return (pod) => {
    const known = values.get(pod)
    if (known !== undefined) return known
    const value = compute(pod)
    values.set(pod, value)
    return value
  }
}
