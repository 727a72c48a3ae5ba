import type { Pod, PodCondition } from '@berth/types'
import { beforeAll, describe, expect, test } from 'vitest'
import { find, type ChartObject } from './chart-object.ts'
import { matchesUser, policyRefusal, type Policy } from './evaluate-policy.ts'
import { render } from './render.ts'

const name = 'berth-scheduler.berth-system'
const condition = (type: string, more: Partial<PodCondition> = {}): PodCondition => ({ type, status: 'False', ...more })
const unschedulable = condition('PodScheduled', { reason: 'Unschedulable', message: '0/1 nodes are available' })
const victim = condition('DisruptionTarget', { status: 'True', reason: 'PreemptionByScheduler' })
const ready = condition('Ready')
const podOf = (schedulerName: string, status: Partial<NonNullable<Pod['status']>> = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'pod',
    namespace: 'default',
    labels: { team: 'a' },
    annotations: { note: 'x' },
    managedFields: [{}],
  },
  spec: { schedulerName, containers: [{ name: 'main' }] },
  status: { phase: 'Pending', qosClass: 'Burstable', ...status },
})
const own = (status: Partial<NonNullable<Pod['status']>> = {}) => podOf('fast', status)
const foreign = (status: Partial<NonNullable<Pod['status']>> = {}) => podOf('default-scheduler', status)

describe('the policy of the scheduler', () => {
  let rendered: readonly ChartObject[] = []
  let policy: Policy = { matchConditions: [], variables: [], validations: [] }
  beforeAll(async () => {
    const profiles = [{ schedulerName: 'fast' }, { schedulerName: 'packed' }]
    rendered = await render({ profile: 'scheduler-only', values: { scheduler: { config: { profiles } } } })
    policy = find(rendered, 'ValidatingAdmissionPolicy', name).spec as Policy
  })
  const refusal = (oldObject: object, object: object, fieldManager = 'berth') =>
    policyRefusal(policy, { oldObject, object, request: { options: { fieldManager } } })

  test('applies to every write of the scheduler to the status of a pod, and fails closed', () => {
    expect(policy).toMatchObject({
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [{ resources: ['pods/status'], operations: ['UPDATE'] }] },
    })
    expect(find(rendered, 'ValidatingAdmissionPolicyBinding', name).spec).toEqual({
      policyName: name,
      validationActions: ['Deny'],
    })
    expect(matchesUser(policy, 'system:serviceaccount:berth-system:berth-scheduler')).toBe(true)
    expect(matchesUser(policy, 'system:serviceaccount:berth-system:berth-extender')).toBe(false)
  })

  test.for([
    { it: 'report why a pod waits', old: own(), now: own({ conditions: [unschedulable] }) },
    {
      it: 'report another reason',
      old: own({ conditions: [condition('PodScheduled'), ready] }),
      now: own({ conditions: [unschedulable, ready] }),
    },
    { it: 'nominate a node', old: own(), now: own({ nominatedNodeName: 'node-1' }) },
    { it: 'clear a nomination', old: own({ nominatedNodeName: 'node-1' }), now: own() },
    { it: 'serve its second profile', old: podOf('packed'), now: podOf('packed', { nominatedNodeName: 'node-1' }) },
    { it: 'mark a plugin that hangs', old: own(), now: own({ conditions: [condition('hung-plugin.berth.dev/slow')] }) },
    { it: 'mark a victim of its own', old: own({ conditions: [ready] }), now: own({ conditions: [ready, victim] }) },
    { it: 'mark a victim of another scheduler', old: foreign(), now: foreign({ conditions: [victim] }) },
    { it: 'write without a change', old: foreign({ conditions: [ready] }), now: foreign({ conditions: [ready] }) },
  ])('lets the scheduler $it', ({ old, now }) => {
    expect(refusal(old, now)).toBeUndefined()
  })

  const fields = 'change only conditions and nominatedNodeName of the status'
  const conditions = 'write only the conditions of scheduling'
  test.for([
    { it: 'change the phase', old: own(), now: own({ phase: 'Running' }), says: fields },
    { it: 'remove a field of the status', old: own({ podIP: '10.0.0.1' }), now: own(), says: fields },
    { it: 'write a field of a later version', old: own(), now: own({ later: 1 } as object), says: fields },
    {
      it: 'mark a pod as ready',
      old: own({ conditions: [ready] }),
      now: own({ conditions: [{ ...ready, status: 'True' }] }),
      says: conditions,
    },
    { it: 'remove a condition', old: own({ conditions: [ready] }), now: own(), says: conditions },
    {
      it: 'report a pod of another scheduler',
      old: foreign(),
      now: foreign({ conditions: [unschedulable] }),
      says: conditions,
    },
    {
      it: 'mark a plugin that hangs at a pod of another scheduler',
      old: foreign(),
      now: foreign({ conditions: [condition('hung-plugin.berth.dev/slow')] }),
      says: conditions,
    },
    {
      it: 'disturb a pod for another reason',
      old: foreign(),
      now: foreign({ conditions: [{ ...victim, reason: 'TerminationByKubelet' }] }),
      says: conditions,
    },
    {
      it: 'nominate a node for a pod of another scheduler',
      old: foreign(),
      now: foreign({ nominatedNodeName: 'node-1' }),
      says: 'nominate a node only for pods of its own profiles',
    },
    {
      it: 'clear the nomination of another scheduler',
      old: foreign({ nominatedNodeName: 'node-1' }),
      now: foreign(),
      says: 'nominate a node only for pods of its own profiles',
    },
    {
      it: 'change a label',
      old: own(),
      now: { ...own(), metadata: { ...own().metadata, labels: {} } },
      says: 'not change the metadata',
    },
    {
      it: 'remove the annotations',
      old: own(),
      now: { ...own(), metadata: { name: 'pod', namespace: 'default', labels: { team: 'a' } } },
      says: 'not change the metadata',
    },
    {
      it: 'change the spec',
      old: own(),
      now: { ...own(), spec: { schedulerName: 'fast' } },
      says: 'change only the status of a pod',
    },
  ])('does not let the scheduler $it', ({ old, now, says }) => {
    expect(refusal(old, now)).toContain(says)
  })

  test('the scheduler writes only under its own name as field manager', () => {
    expect(refusal(own(), own(), 'kubelet')).toContain('only as the field manager berth')
  })

  test('knows the profile of a scheduler without configuration, and can be disabled', async () => {
    const plain = find(await render({ profile: 'scheduler-only' }), 'ValidatingAdmissionPolicy', name).spec as Policy
    expect(plain.variables.find((variable) => variable.name === 'profiles')?.expression).toBe('["berth-scheduler"]')
    const without = await render({ profile: 'scheduler-only', values: { scheduler: { policy: { enabled: false } } } })
    expect(without.filter(({ kind }) => kind.startsWith('ValidatingAdmission'))).toEqual([])
  })
})
