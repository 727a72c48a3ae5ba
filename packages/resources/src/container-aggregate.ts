import type { Container, Pod } from '@berth/types'
import { addQuantities, raiseQuantities, type QuantityMap } from './quantity-map.ts'
import type { Quantity } from './quantity.ts'

/** Whether the init container keeps running beside the others. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always'
}

/**
 * What all containers of a pod need together (KEP-753): the sum of those that run at the same time, or what
 * the largest step of initialisation needs, if that is more.
 *
 * @param amountsOf - Requests or limits of one container.
 */
export function aggregateContainers(
  pod: Pod,
  amountsOf: (container: Container, isInit: boolean) => QuantityMap,
): Map<string, Quantity> {
  const running = new Map<string, Quantity>()
  for (const container of pod.spec.containers ?? []) addQuantities(running, amountsOf(container, false))

  const initContainers = pod.spec.initContainers ?? []
  if (initContainers.length === 0) return running
  const sidecars = new Map<string, Quantity>()
  const largestStep = new Map<string, Quantity>()
  for (const container of initContainers) {
    const amounts = amountsOf(container, true)
    if (isSidecar(container)) {
      addQuantities(running, amounts)
      addQuantities(sidecars, amounts)
      raiseQuantities(largestStep, sidecars)
    } else {
      const step = new Map(amounts)
      addQuantities(step, sidecars)
      raiseQuantities(largestStep, step)
    }
  }
  raiseQuantities(running, largestStep)
  return running
}
