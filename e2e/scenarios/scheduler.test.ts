import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Apps } from '../cluster/app.ts'
import { kubectlUnderTest, pausePod } from '../cluster/kubectl.ts'

const resource = 'example.com/seat'

describe('the scheduler beside kube-scheduler', () => {
  const kubectl = kubectlUnderTest()
  const apps = new Apps()
  let node = ''
  const names = ['seat-1', 'seat-2', 'seat-too-many', 'seat-theirs', 'chaos-1', 'chaos-2', 'chaos-3']

  const patchNode = (units: string | null): Promise<string> =>
    kubectl.run(
      'patch',
      'node',
      node,
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status: { capacity: { [resource]: units }, allocatable: { [resource]: units } } }),
    )

  beforeAll(async () => {
    node = (await kubectl.workers())[1] ?? ''
    await patchNode('2')
    await apps.start('scheduler', kubectl.kubeconfig, {
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      profiles: [
        { schedulerName: 'berth-scheduler' },
        {
          schedulerName: 'chaos-scheduler',
          plugins: { score: { enabled: [{ name: 'chaos-random-score', weight: 1 }], disabled: [{ name: '*' }] } },
        },
      ],
    })
  })

  afterAll(async () => {
    await kubectl.attempt('delete', 'pod', '--ignore-not-found', ...names)
    await apps[Symbol.asyncDispose]()
    await patchNode(null)
  })

  const untilRunning = (name: string): Promise<string> =>
    kubectl.until(`${name} to run`, async () => {
      const { spec, status } = await kubectl.pod(name)
      return status?.phase === 'Running' ? (spec.nodeName ?? '') : undefined
    })

  test('binds pods of its schedulerName where the resource is', async () => {
    for (const name of ['seat-1', 'seat-2']) {
      await kubectl.apply(pausePod(name, { [resource]: '1' }, { schedulerName: 'berth-scheduler' }))
      expect(await untilRunning(name)).toBe(node)
    }
    const notes = await kubectl.eventNotes('seat-1', 'Scheduled')
    expect(notes).toEqual([`Successfully assigned default/seat-1 to ${node}`])
  })

  test('says of a pod that does not fit what kube-scheduler says', async () => {
    await kubectl.apply(pausePod('seat-too-many', { [resource]: '1' }, { schedulerName: 'berth-scheduler' }))
    await kubectl.apply(pausePod('seat-theirs', { [resource]: '1' }))
    const noteOf = (name: string): Promise<string> =>
      kubectl.until(`the event of ${name}`, async () => (await kubectl.eventNotes(name, 'FailedScheduling'))[0])
    const [ours, theirs] = [await noteOf('seat-too-many'), await noteOf('seat-theirs')]
    expect(ours).toContain(`Insufficient ${resource}`)
    // Before the colon of "preemption:" kube-scheduler also says that dynamic resources found nothing to take back.
    const [filters, preemption] = ours.split(' preemption: ')
    expect(theirs.startsWith(filters ?? '?')).toBe(true)
    expect(theirs.endsWith(`preemption: ${preemption}`)).toBe(true)
  })

  test('places a waiting pod as soon as another leaves', async () => {
    await kubectl.run('delete', 'pod', 'seat-theirs', 'seat-1')
    expect(await untilRunning('seat-too-many')).toBe(node)
  })

  test('a second profile with a random score places pods too', async () => {
    for (const name of ['chaos-1', 'chaos-2', 'chaos-3']) {
      await kubectl.apply(pausePod(name, { cpu: '1m' }, { schedulerName: 'chaos-scheduler' }))
      expect(await kubectl.workers()).toContain(await untilRunning(name))
    }
  })
})
