import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { parse } from 'yaml'
import { UnmetExpectationError } from '@berth/testing'
import type { World } from './world.ts'

/** A pod of one container. */
export interface SimplePod {
  readonly name: string
  readonly requests: Readonly<Record<string, string>>
  readonly schedulerName?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** Creates a pod of one container that asks for `requests` (and as much as its limits). */
export async function createPod(world: World, { name, requests, schedulerName, labels }: SimplePod): Promise<void> {
  await world.readBack().client.create<Pod>(resourceRefs.pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ...(labels !== undefined && { labels }) },
    spec: {
      ...(schedulerName !== undefined && { schedulerName }),
      containers: [{ name: 'main', image: 'nginx', resources: { requests, limits: requests } }],
    },
  })
}

/** Creates the pod of a file under examples/, as it stands there. */
export async function applyExample(world: World, file: string): Promise<Pod> {
  const pod = parse(readFileSync(join(world.root, 'examples', file), 'utf8')) as Pod
  world.narrator.command(`kubectl apply -f examples/${file}`)
  return await world
    .readBack()
    .client.create<Pod>(resourceRefs.pods, { ...pod, metadata: { namespace: 'default', ...pod.metadata } })
}

/** Deletes a pod and waits until it is gone. */
export async function deletePod(world: World, name: string): Promise<void> {
  await world.readBack().client.delete(resourceRefs.pods, { namespace: 'default', name }, { gracePeriodSeconds: 0 })
  await world.until(`pod ${name} to be gone`, async () =>
    (await world.readBack().pod(name)) === undefined ? true : undefined,
  )
}

/** Waits until the pod has that phase and returns it. */
export async function untilPhase(world: World, name: string, phase: string): Promise<Pod> {
  let last = 'it does not exist'
  try {
    return await world.until(`pod ${name} to be ${phase}`, async () => {
      const pod = await world.readBack().pod(name)
      const condition = pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled')
      last = `it is ${pod?.status?.phase ?? 'gone'} ${pod?.status?.message ?? condition?.message ?? ''}`.trim()
      return pod?.status?.phase === phase ? pod : undefined
    })
  } catch (cause) {
    if (!(cause instanceof UnmetExpectationError)) throw cause
    throw new UnmetExpectationError(`${cause.message}; ${last}`, { cause })
  }
}
