import { setTimeout as pause } from 'node:timers/promises'
import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import type { Pod, Random } from '@berth/types'
import { pickOne } from '../world/pick.ts'
import { DONGLE, LICENCE, SCHEDULER_NAME, SLOT } from './soak-apps.ts'

/** Pods that are created and deleted without pause. */
export interface SoakLoad {
  /** Creates and deletes pods until the signal aborts. Retries when the API server does not respond. */
  run(signal: AbortSignal): Promise<void>
  /** Returns the number of deleted pods that had been bound. */
  bound(): number
  /** Deletes all pods and waits until one pod for each resource runs. @throws UnmetExpectationError after two minutes. */
  checkAllRun(): Promise<void>
}

const RESOURCES = [DONGLE, LICENCE, SLOT, 'cpu'] as const
/** Pods at a time. More than the units of each resource, so that some wait. */
const PODS = 40
const STEP_MS = 500
const SETTLE_MS = 120_000
const namespace = 'default'

/** Options of {@link createSoakLoad}. */
export interface SoakLoadOptions {
  readonly client: ApiClient
  readonly random: Random
  /** At 1, about two pods per second are created or deleted; at 2, about four. */
  readonly pace: number
}

/** Prepares a load. */
export function createSoakLoad({ client, random, pace }: SoakLoadOptions): SoakLoad {
  let created = 0
  let bound = 0
  const create = (resource: string): Promise<Pod> => {
    const amount = { [resource]: resource === 'cpu' ? '100m' : '1' }
    return client.create<Pod>(resourceRefs.pods, {
      metadata: { namespace, name: `soak-${created++}` },
      spec: {
        schedulerName: SCHEDULER_NAME,
        tolerations: [{ operator: 'Exists' }],
        containers: [{ name: 'main', image: 'app', resources: { requests: amount, limits: amount } }],
      },
    })
  }
  const list = async (): Promise<readonly Pod[]> => (await client.list<Pod>(resourceRefs.pods, { namespace })).items
  const remove = async ({ metadata, spec }: Pod): Promise<void> => {
    if (spec.nodeName !== undefined) bound++
    await client.delete(resourceRefs.pods, { namespace, name: metadata.name ?? '' }, { gracePeriodSeconds: 0 })
  }
  const step = async (): Promise<void> => {
    const pods = await list()
    const ended = pods.filter(({ status }) => status?.phase === 'Failed' || status?.phase === 'Succeeded')
    for (const pod of ended) await remove(pod)
    const [first, ...others] = pods.filter((pod) => !ended.includes(pod))
    if (pods.length < PODS / 2 || (pods.length < PODS && random() < 0.5)) await create(pickOne(random, RESOURCES))
    else if (first !== undefined) await remove(pickOne(random, [first, ...others]))
  }
  return {
    bound: () => bound,
    async run(signal) {
      while (!signal.aborted) {
        // The pod may be gone already, or the API server may not respond.
        await step().catch(() => undefined)
        await pause(STEP_MS / pace)
      }
    },
    async checkAllRun() {
      // A pod may be gone already.
      for (const pod of await list()) await remove(pod).catch(() => undefined)
      for (const resource of RESOURCES) await create(resource)
      await eventually(
        async () => {
          const pods = await list()
          if (pods.length === RESOURCES.length && pods.every(({ status }) => status?.phase === 'Running')) return true
          throw new Error(pods.map(podText).join(', '))
        },
        {
          what: 'a pod for each resource to run after the faults',
          timeoutMs: SETTLE_MS,
          intervalMs: STEP_MS,
          signal: new AbortController().signal,
        },
      )
    },
  }
}

function podText({ metadata, spec, status }: Pod): string {
  const [resource] = Object.keys(spec.containers[0]?.resources?.requests ?? {})
  return `${metadata.name} (${resource}) is ${status?.phase ?? 'Pending'}`
}
