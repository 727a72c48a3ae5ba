import type { Container, Pod } from '@berth/types'
import { addQuantities, raiseQuantities } from '../quantity/quantity-map.ts'
import type { Quantity } from '../quantity/quantity.ts'

/** Returns whether the init container is a sidecar, which keeps running next to the other containers. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always'
}

/**
 * Returns what the containers of a pod need together (KEP-753): per resource, the larger of the sum of the containers
 * that run at the same time and the largest init step.
 *
 * @param amountsOf - Returns the requests or limits of one container in a new map, which this function changes.
 *   `isInit` is
 * true for init containers, sidecars included.
 */
export function aggregateContainers(
  pod: Pod,
  amountsOf: (container: Container, isInit: boolean) => Map<string, Quantity>,
): Map<string, Quantity> {
  let running: Map<string, Quantity> | undefined
  for (const container of pod.spec.containers ?? []) {
    const amounts = amountsOf(container, false)
    if (running === undefined) running = amounts
    else addQuantities(running, amounts)
  }
  running ??= new Map()

  const initContainers = pod.spec.initContainers ?? []
  if (initContainers.length === 0) return running
  const sidecars = new Map<string, Quantity>()
  const largestInitStep = new Map<string, Quantity>()
  for (const container of initContainers) {
    const amounts = amountsOf(container, true)
    if (isSidecar(container)) {
      addQuantities(running, amounts)
      addQuantities(sidecars, amounts)
      raiseQuantities(largestInitStep, sidecars)
    } else {
      addQuantities(amounts, sidecars)
      raiseQuantities(largestInitStep, amounts)
    }
  }
  raiseQuantities(running, largestInitStep)
  return running
}
