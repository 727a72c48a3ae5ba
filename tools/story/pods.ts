import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { parse } from 'yaml'
import { UnmetExpectationError } from '@berth/testing'
import type { StoryContext } from './story-context.ts'

/** A pod with one container. */
export interface SimplePod {
  readonly name: string
  readonly requests: Readonly<Record<string, string>>
  readonly schedulerName?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** Creates a pod with one container whose requests and limits are `requests`. */
export async function createPod(
  story: StoryContext,
  { name, requests, schedulerName, labels }: SimplePod,
): Promise<void> {
  await story.readBack().client.create<Pod>(resourceRefs.pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ...(labels !== undefined && { labels }) },
    spec: {
      ...(schedulerName !== undefined && { schedulerName }),
      containers: [{ name: 'main', image: 'nginx', resources: { requests, limits: requests } }],
    },
  })
}

/** Creates the pod in a file of examples/. */
export async function applyExample(story: StoryContext, file: string): Promise<Pod> {
  const pod = parse(readFileSync(join(story.root, 'examples', file), 'utf8')) as Pod
  story.narrator.command(`kubectl apply -f examples/${file}`)
  return await story
    .readBack()
    .client.create<Pod>(resourceRefs.pods, { ...pod, metadata: { namespace: 'default', ...pod.metadata } })
}

/** Deletes a pod and waits until it is gone. */
export async function deletePod(story: StoryContext, name: string): Promise<void> {
  await story.readBack().client.delete(resourceRefs.pods, { namespace: 'default', name }, { gracePeriodSeconds: 0 })
  await story.until(`pod ${name} to be gone`, async () =>
    (await story.readBack().pod(name)) === undefined ? true : undefined,
  )
}

/** Waits until the pod has this phase and returns the pod. */
export async function untilPhase(story: StoryContext, name: string, phase: string): Promise<Pod> {
  let last = 'it does not exist'
  try {
    return await story.until(`pod ${name} to be ${phase}`, async () => {
      const pod = await story.readBack().pod(name)
      const condition = pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled')
      last = `it is ${pod?.status?.phase ?? 'gone'} ${pod?.status?.message ?? condition?.message ?? ''}`.trim()
      return pod?.status?.phase === phase ? pod : undefined
    })
  } catch (cause) {
    if (!(cause instanceof UnmetExpectationError)) throw cause
    throw new UnmetExpectationError(`${cause.message}; ${last}`, { cause })
  }
}
