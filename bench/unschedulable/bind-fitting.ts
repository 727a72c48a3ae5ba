import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import type { ContenderProcess } from '../scheduler/contender.ts'
import type { PodWatcher } from '../scheduler/watch-pods.ts'
import { fittingPods } from './full-cluster.ts'

/** The cost of a pod that fits, between the first bind and the last. */
export interface BindCost {
  readonly usPerPod: number
  readonly cpuUsPerPod: number
}

/** What {@link bindFitting} needs. */
export interface BindOptions {
  readonly server: Pick<RealApiServer, 'seed'>
  readonly watcher: PodWatcher
  readonly scheduler: Pick<ContenderProcess, 'cpuMs'>
  readonly until: (what: string, isDone: () => boolean, everyMs: number) => Promise<void>
}

/** Writes pods that fit on any node, all at once, and waits until they are bound. `stem` begins their names. */
export async function bindFitting(stem: string, pods: number, options: BindOptions): Promise<BindCost> {
  const { server, watcher, scheduler, until } = options
  let bound = 0
  let [firstMs, lastMs, cpuMsBefore] = [0, 0, 0]
  const stop = watcher.mirror.subscribe({
    onUpdate: (old, { metadata, spec }) => {
      if (!metadata.name?.startsWith(stem) || old.spec.nodeName !== undefined || spec.nodeName === undefined) return
      bound += 1
      lastMs = performance.now()
      if (bound > 1) return
      firstMs = lastMs
      cpuMsBefore = scheduler.cpuMs()
    },
  })
  await server.seed(fittingPods(stem, pods))
  await until(`${pods} pods that fit to be bound`, () => bound === pods, 20)
  const cpuMs = scheduler.cpuMs() - cpuMsBefore
  stop()
  return { usPerPod: ((lastMs - firstMs) * 1_000) / (pods - 1), cpuUsPerPod: (cpuMs * 1_000) / (pods - 1) }
}
