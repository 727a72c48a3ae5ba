import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { Apps, kubectlBerth } from '../cluster/app.ts'
import { PAUSE_IMAGE, kubectlUnderTest } from '../cluster/kubectl.ts'

const examples = join(import.meta.dirname, '..', '..', 'examples', 'dongle')

/** The seed's pod, with an image that the nodes have. */
function example(name: string): { metadata: { name: string }; spec: Record<string, unknown> } {
  const pod = parse(readFileSync(join(examples, name), 'utf8')) as {
    metadata: { name: string }
    spec: { containers: Record<string, unknown>[] }
  }
  const containers = pod.spec.containers.map((container) => ({ ...container, image: PAUSE_IMAGE }))
  return { ...pod, spec: { ...pod.spec, terminationGracePeriodSeconds: 1, containers } }
}

describe('dongles, advertised on a real node', () => {
  const kubectl = kubectlUnderTest()
  const apps = new Apps()
  let node = ''
  let before: unknown

  const trace = async (): Promise<unknown> => {
    const { metadata, status } = await kubectl.node(node)
    return { annotations: metadata.annotations, capacity: status?.capacity, allocatable: status?.allocatable }
  }

  beforeAll(async () => {
    node = (await kubectl.workers())[0] ?? ''
    before = await trace()
    const resources = [{ name: 'example.com/dongle', units: 4, nodes: { names: [node] } }]
    await apps.start('advertiser', kubectl.kubeconfig, { resources })
  })

  afterAll(async () => {
    await kubectl.attempt('delete', 'pod', 'extended-resource-demo', 'extended-resource-demo-2', '--ignore-not-found')
    await apps[Symbol.asyncDispose]()
  })

  test('the node offers four, and the kubelet lets them stay', async () => {
    await kubectl.until('four dongles', async () => {
      const { status } = await kubectl.node(node)
      return status?.allocatable?.['example.com/dongle'] === '4' ? true : undefined
    })
    // Two rounds of the kubelet's own status sync.
    await new Promise((resolve) => setTimeout(resolve, 21_000))
    const { status } = await kubectl.node(node)
    expect(status?.capacity?.['example.com/dongle']).toBe('4')
    expect(status?.allocatable?.['example.com/dongle']).toBe('4')
  })

  test('kube-scheduler places a pod that takes three', async () => {
    await kubectl.apply(example('extended-resource-pod.yaml'))
    const pod = await kubectl.until('the pod to run', async () => {
      const read = await kubectl.pod('extended-resource-demo')
      return read.status?.phase === 'Running' ? read : undefined
    })
    expect(pod.spec.nodeName).toBe(node)
  })

  test('explain writes the sentence that kube-scheduler writes, and its cheapest fix works', async () => {
    const pod = example('extended-resource-pod-2.yaml')
    await kubectl.apply(pod)
    const [theirs = ''] = await kubectl.until('kube-scheduler’s event', async () => {
      const notes = await kubectl.eventNotes('extended-resource-demo-2', 'FailedScheduling')
      return notes.length > 0 ? notes : undefined
    })
    expect(theirs).toContain('Insufficient example.com/dongle')
    const answer = JSON.parse(
      await kubectlBerth(kubectl.kubeconfig, 'explain', 'pod', 'extended-resource-demo-2', '-o', 'json'),
    ) as { message: string; fixes: { kind: string }[] }
    // kube-scheduler appends what preemption found.
    expect(theirs.startsWith(answer.message)).toBe(true)
    expect(answer.fixes.map(({ kind }) => kind)).toContain('lower-request')

    await kubectl.run('delete', 'pod', 'extended-resource-demo-2')
    const text = JSON.stringify(pod).replaceAll('"example.com/dongle":2', '"example.com/dongle":1')
    await kubectl.apply(JSON.parse(text))
    await kubectl.until('the pod to run', async () =>
      (await kubectl.pod('extended-resource-demo-2')).status?.phase === 'Running' ? true : undefined,
    )
  })

  test('prune leaves the node as it was', async () => {
    await kubectl.run('delete', 'pod', 'extended-resource-demo', 'extended-resource-demo-2')
    await apps[Symbol.asyncDispose]()
    const pruner = new Apps()
    await pruner.run('advertiser', kubectl.kubeconfig, { resources: [] }, ['prune'])
    expect(await trace()).toEqual(before)
  })
})
