/** Returns how much of a resource one pod requests. */
type AmountOf = (resourceName: string) => bigint

/**
 * The sum of the requests of the placed pods by namespace, for the resources that were asked for. The first question
 * about a resource adds up all placed pods; from then on, each change of a pod changes the sum.
 */
export class NamespaceRequests {
  /** By resource name, then by namespace. */
  #sums = new Map<string, Map<string, bigint>>()

  /** Returns the sum, after adding up all pods the first time that the resource is asked for. */
  sumOf(
    namespace: string,
    resourceName: string,
    visitPods: (add: (namespace: string, amount: bigint) => void) => void,
  ): bigint {
    let sums = this.#sums.get(resourceName)
    if (sums === undefined) {
      const counted = new Map<string, bigint>()
      visitPods((of, amount) => add(counted, of, amount))
      this.#sums.set(resourceName, (sums = counted))
    }
    return sums.get(namespace) ?? 0n
  }

  /** Counts a placed pod, or with -1 no longer counts it. */
  change(namespace: string, amountOf: AmountOf, sign: 1n | -1n): void {
    for (const [resourceName, sums] of this.#sums) add(sums, namespace, sign * amountOf(resourceName))
  }

  copy(): NamespaceRequests {
    const copy = new NamespaceRequests()
    for (const [resourceName, sums] of this.#sums) copy.#sums.set(resourceName, new Map(sums))
    return copy
  }
}

function add(sums: Map<string, bigint>, namespace: string, amount: bigint): void {
  if (amount === 0n) return
  const sum = (sums.get(namespace) ?? 0n) + amount
  if (sum === 0n) sums.delete(namespace)
  else sums.set(namespace, sum)
}
