import { type Container, type PodSpec, StatusCode } from '@berth/types'
import { expect, test } from 'vitest'
import { framework, input, node, pod } from '../../../test/builders.ts'
import { createClusterState } from '../../state/create-cluster-state.ts'
import { decide } from '../../decide/decide.ts'
import { examineFilter } from '../../framework/examine.ts'
import { nodeDeclaredFeatures } from './plugin.ts'

const REASON = "node(s) didn't match Pod's required features"
const RESTART = 'RestartAllContainersOnContainerExits'
const HOST_NETWORK = 'UserNamespacesHostNetworkSupport'
const restarting: Container = { name: 'r', restartPolicyRules: [{ action: 'RestartAllContainers' }] }
const plain: Container = { name: 'c', restartPolicyRules: [{ action: 'Restart' }] }
const userNamespace: Partial<PodSpec> = { hostNetwork: true, hostUsers: false }

function stateWith(declared: readonly string[] | undefined): ReturnType<typeof createClusterState> {
  const state = createClusterState()
  state.setNode(
    node('n', {}, { status: { allocatable: { pods: '1' }, ...(declared && { declaredFeatures: declared }) } }),
  )
  return state
}

test.for<{ it: string; spec: Partial<PodSpec>; declared?: readonly string[]; fits: boolean }>([
  { it: 'with both, on a node that declares nothing', spec: userNamespace, fits: false },
  { it: 'with both, on a node that declares it', spec: userNamespace, declared: [HOST_NETWORK], fits: true },
  { it: 'with both, on a node that declares something else', spec: userNamespace, declared: [RESTART], fits: false },
  { it: 'with a rule in a container', spec: { containers: [plain, restarting] }, fits: false },
  { it: 'with a rule in an init container', spec: { initContainers: [restarting] }, fits: false },
  {
    it: 'with a rule, on a node that declares it',
    spec: { containers: [restarting] },
    declared: [RESTART],
    fits: true,
  },
  {
    it: 'that needs two features, on a node with one',
    spec: { ...userNamespace, containers: [restarting] },
    declared: [RESTART],
    fits: false,
  },
  {
    it: 'that needs two features, on a node that also declares unknown ones',
    spec: { ...userNamespace, containers: [restarting] },
    declared: ['A', RESTART, 'S', HOST_NETWORK, 'Z'],
    fits: true,
  },
  {
    it: 'whose feature is listed after a greater name, where upstream does not find it either',
    spec: { containers: [restarting] },
    declared: [HOST_NETWORK, RESTART],
    fits: false,
  },
])('a pod $it fits: $fits', ({ spec, declared, fits }) => {
  const { nodes } = examineFilter(nodeDeclaredFeatures, stateWith(declared), pod('p', {}, spec), input)
  expect(nodes.get('n')).toEqual(
    fits
      ? { code: StatusCode.Success, reasons: [] }
      : { code: StatusCode.UnschedulableAndUnresolvable, reasons: [REASON] },
  )
})

test.for<{ it: string; spec: Partial<PodSpec> }>([
  { it: 'the host network alone', spec: { hostNetwork: true } },
  { it: 'the host network and the host user namespace', spec: { hostNetwork: true, hostUsers: true } },
  { it: 'only a user namespace', spec: { hostUsers: false } },
  { it: 'a rule that restarts one container', spec: { containers: [plain] } },
])('a pod with $it needs no feature', ({ spec }) => {
  const { preFilter } = examineFilter(nodeDeclaredFeatures, stateWith(undefined), pod('p', {}, spec), input)
  expect(preFilter).toEqual({ kind: 'skip' })
})

test('runs after all other filters of the default profile', () => {
  const decision = decide(framework, stateWith(undefined), pod('p', {}, userNamespace), input)
  expect(decision.message).toBe(`0/1 nodes are available: 1 ${REASON}.`)
  const crowded = decide(framework, stateWith(undefined), pod('p', { cpu: '1' }, userNamespace), input)
  expect(crowded.message).toContain('1 Insufficient cpu.')
})
