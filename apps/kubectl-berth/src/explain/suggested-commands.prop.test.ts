import type { ContainerStatus, Pod, Workload } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostile, runSuggestions } from '../../test/hostile-names.ts'
import { paintFor } from '../output/paint.ts'
import { groupAnswers } from './groups/group-answers.ts'
import { groupText } from './groups/group-text.ts'
import { findObstacles } from './observed/find-obstacles.ts'
import { observedStatus } from './observed/observed-status.ts'
import { quotaObstacles } from './observed/quota-obstacles.ts'
import { unevaluatedAnswer } from './pod-answer.ts'
import { missingPods } from './subjects/workload-finding.ts'

const names = fc.record({ name: hostile, namespace: hostile, other: hostile, kind: hostile })
type Names = typeof names extends fc.Arbitrary<infer T> ? T : never

const waiting = (name: string, reason: string): ContainerStatus => ({ name, state: { waiting: { reason } } })

/** Pods that have every obstacle there is. */
function podsWith({ name, namespace, other }: Names): readonly Pod[] {
  const spec = {
    containers: [{ name: other, image: other }],
    initContainers: [{ name: other, image: other }],
    volumes: [{ name: other, persistentVolumeClaim: { claimName: other } }],
    schedulingGates: [{ name: other }],
  }
  const metadata = { name, namespace, uid: '1', deletionTimestamp: other, finalizers: [other] }
  const started = { name: other, state: { running: {} } }
  return [
    { metadata, spec },
    {
      metadata,
      spec: { ...spec, nodeName: other },
      status: { containerStatuses: [waiting(other, 'ErrImagePull')], initContainerStatuses: [started] },
    },
    {
      metadata,
      spec: { ...spec, nodeName: other },
      status: {
        containerStatuses: [waiting(other, 'CreateContainerConfigError')],
        initContainerStatuses: [waiting(other, 'CrashLoopBackOff')],
      },
    },
  ]
}

const nothingExists = { hasNode: () => false, hasClaim: () => false }

function commandsOf(given: Names): readonly string[] {
  const { name, namespace, kind } = given
  const pods = podsWith(given)
  const metadata = { name, namespace }
  const workload = { kind, metadata, spec: { replicas: 0 } } as Workload
  const quota = { metadata, spec: { hard: { pods: '0' } } }
  const around = { podEvents: [], leases: [], schedulerEvents: [], unread: [] }
  const answers = pods.map((pod) => ({
    ...unevaluatedAnswer(pod, 'why'),
    observed: observedStatus(pod, around, { known: nothingExists, nowMs: 0 }),
  }))
  const options = { columns: 80, tableColumns: Infinity, paint: paintFor({ hasColor: false }), isWide: false, nowMs: 0 }
  const printed = groupText(groupAnswers(answers), options)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('kubectl berth explain'))
  return [
    ...pods.flatMap((pod) => findObstacles(pod, nothingExists)).flatMap(({ commands }) => commands),
    ...missingPods(workload, []).commands,
    ...pods.flatMap((pod) => quotaObstacles(pod, [quota])).flatMap(({ commands }) => commands),
    ...printed,
  ]
}

test('a real shell runs nothing but kubectl for the commands that explain suggests', () => {
  expect(runSuggestions(names, commandsOf).flat().length).toBeGreaterThan(75)
})

test('valid names give every command', () => {
  const commands = commandsOf({ name: 'web', namespace: 'shop', other: 'ctr', kind: 'Job' })
  for (const words of [
    'patch',
    'delete',
    'describe pod',
    'logs',
    'get pvc',
    'describe quota',
    'describe job/web',
    'berth explain',
  ])
    expect(commands.join('\n')).toContain(`kubectl ${words}`)
})
