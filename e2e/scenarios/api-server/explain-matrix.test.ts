import { execFile } from 'node:child_process'
import { resourceRefs, type Cluster } from '@berth/k8s-client'
import { createMatrixObject, eventually, explainMatrix } from '@berth/testing'
import type { KubernetesObject } from '@berth/types'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { startRealApiServer } from '../../real-api-server/real-api-server.ts'
import { startKubeScheduler } from '../../real-scheduler/kube-scheduler.ts'

const MAIN = join(import.meta.dirname, '../../../apps/kubectl-berth/src/main.ts')
const run = promisify(execFile)

interface EventOfPod extends KubernetesObject {
  readonly regarding?: { readonly name?: string }
  readonly reason?: string
  readonly note?: string
}

const line = (text: string): string => text.replaceAll(/\s+/g, ' ')

describe('explain names every cause of the matrix, in the words of a real kube-scheduler', () => {
  const parts = new AsyncDisposableStack()
  let cluster: Cluster
  let kubeconfig: string

  const explain = async (pod: string, format: string): Promise<string> => {
    const argv = ['-C', '@berth/source', MAIN, 'explain', 'pod', pod, '-o', format, '--kubeconfig', kubeconfig]
    return (await run(process.execPath, argv, { maxBuffer: 64 * 1024 * 1024 })).stdout
  }
  /** Returns what kube-scheduler last said about each pod that it could not place. */
  const failures = async (): Promise<ReadonlyMap<string, string>> => {
    const { items } = await cluster.client.list<EventOfPod>(resourceRefs.events, { namespace: 'default' })
    const timeOf = ({ metadata, ...event }: EventOfPod): string =>
      (event as { series?: { lastObservedTime?: string } }).series?.lastObservedTime ??
      (event as { eventTime?: string }).eventTime ??
      metadata?.creationTimestamp ??
      ''
    const sorted = items
      .filter(({ reason }) => reason === 'FailedScheduling')
      .toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
    return new Map(sorted.map(({ regarding, note }) => [regarding?.name ?? '', note ?? '']))
  }

  beforeAll(async () => {
    const server = parts.use(await startRealApiServer())
    cluster = parts.use(connectQuietly({ access: server.access() }))
    kubeconfig = join(server.dir, 'explain.kubeconfig')
    writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 })
    const { client } = cluster
    for (const { nodes, objects } of explainMatrix)
      for (const object of [...nodes, ...objects]) await createMatrixObject(client, object)
    for (const { pod } of explainMatrix) await createMatrixObject(client, pod)
    // Started last: each pod is decided with every object in place.
    const scheduler = startKubeScheduler({ dir: server.dir, kubeconfig: server.kubeconfig() })
    parts.defer(() => scheduler.kill())
    await eventually(
      async () => {
        const notes = await failures()
        return explainMatrix.every(({ name, reasons }) => reasons === undefined || notes.has(name)) ? true : undefined
      },
      { what: 'an event about every pod', timeoutMs: 120_000, signal: new AbortController().signal },
    )
  })
  afterAll(() => parts.disposeAsync())

  test.for(explainMatrix)('$name', async ({ name, causes, reasons }) => {
    const text = line(await explain(name, 'wide'))
    for (const cause of causes) expect(text).toContain(cause)
    const note = (await failures()).get(name)
    expect(note !== undefined).toBe(reasons !== undefined)
    const { message } = JSON.parse(await explain(name, 'json')) as { readonly message: string }
    // kube-scheduler appends the result of preemption.
    expect(reasons === undefined ? '' : note?.slice(0, message.length)).toBe(reasons === undefined ? '' : message)
    const expected = typeof reasons === 'string' ? [reasons] : Object.keys(reasons ?? {})
    for (const reason of expected) expect(message).toContain(reason)
  })
})
