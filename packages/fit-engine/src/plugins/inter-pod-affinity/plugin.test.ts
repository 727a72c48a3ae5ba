import { type Affinity, type Node, type ObjectMeta, type Pod, type PodAffinityTerm, StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, pod } from '../../../test/builders.ts'
import type { ClusterState } from '../../state/cluster-state.ts'
import { createClusterState } from '../../state/create-cluster-state.ts'
import { decide } from '../../decide/decide.ts'
import { ProfileError } from '../../errors.ts'
import { examineFilter, examineScore } from '../../framework/examine.ts'
import { createFramework } from '../../framework/framework.ts'
import type { InterPodAffinityArgs } from './args.ts'
import { interPodAffinity } from './plugin.ts'

const input = { nowMs: 0, random: () => 0 }
const ALL = ['a1', 'a2', 'b1', 'bare']
const nodes: readonly Node[] = [
  { metadata: { name: 'a1', labels: { zone: 'a', host: 'a1' } } },
  { metadata: { name: 'a2', labels: { zone: 'a', host: 'a2' } } },
  { metadata: { name: 'b1', labels: { zone: 'b', host: 'b1' } } },
  { metadata: { name: 'bare' } },
]

function term(app: string | undefined, topologyKey = 'zone', more: Partial<PodAffinityTerm> = {}): PodAffinityTerm {
  return { topologyKey, ...(app !== undefined && { labelSelector: { matchLabels: { app } } }), ...more }
}
const required = (...terms: readonly PodAffinityTerm[]) => ({ requiredDuringSchedulingIgnoredDuringExecution: terms })
const preferred = (weight: number, podAffinityTerm: PodAffinityTerm) => ({
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }],
})

function candidate(affinity: Affinity, metadata: ObjectMeta = {}): Pod {
  return pod('p', {}, { affinity }, { labels: { app: 'web' }, ...metadata })
}

function existing(name: string, node: string, app: string, affinity?: Affinity, metadata: ObjectMeta = {}): Pod {
  const made = boundPod(name, node, {}, affinity && { affinity })
  return { ...made, metadata: { ...made.metadata, labels: { app }, ...metadata } }
}

/** A database in zone a, on a1. */
function cluster(...more: readonly Pod[]): ClusterState {
  const state = createClusterState()
  for (const node of nodes) state.setNode(node)
  for (const each of [existing('db', 'a1', 'db'), ...more]) state.setPod(each)
  for (const [name, team] of [
    ['default', 'a'],
    ['other', 'b'],
  ]) {
    state.objects.set('namespaces', { metadata: { name: name ?? '', labels: { team: team ?? '' } } })
  }
  return state
}

function fitting(asked: Pod, state = cluster()): readonly string[] {
  const framework = createFramework({ plugins: [{ plugin: interPodAffinity(), weight: 1 }] })
  return decide(framework, state, asked, { ...input, score: false }).feasible
}

function scores(asked: Pod, state = cluster(), args?: InterPodAffinityArgs) {
  const { isSkipped, normalized } = examineScore(interPodAffinity(args), state, asked, { ...input, feasible: ALL })
  return isSkipped ? 'skipped' : Object.fromEntries(normalized)
}

describe('InterPodAffinity as a filter', () => {
  const inOther = cluster(existing('x', 'b1', 'cache', undefined, { namespace: 'other' }))
  const selector = (key: string, operator: string, ...values: readonly string[]) => ({
    namespaceSelector: { matchExpressions: [{ key, operator, values }] },
  })

  test.for<{ it: string; affinity: Affinity; fits: readonly string[] }>([
    { it: 'affinity to the database', affinity: { podAffinity: required(term('db')) }, fits: ['a1', 'a2'] },
    { it: 'affinity to its host', affinity: { podAffinity: required(term('db', 'host')) }, fits: ['a1'] },
    { it: 'anti-affinity to it', affinity: { podAntiAffinity: required(term('db')) }, fits: ['b1', 'bare'] },
    {
      it: 'anti-affinity to its host only',
      affinity: { podAntiAffinity: required(term('db', 'host')) },
      fits: ['a2', 'b1', 'bare'],
    },
    { it: 'all terms must hold', affinity: { podAffinity: required(term('db'), term('cache')) }, fits: [] },
    {
      it: 'the first pod of its group fits nodes with the key',
      affinity: { podAffinity: required(term('web')) },
      fits: ['a1', 'a2', 'b1'],
    },
    { it: 'no pod of that kind', affinity: { podAffinity: required(term('cache')) }, fits: [] },
    {
      it: 'another namespace by name',
      affinity: { podAffinity: required(term('cache', 'zone', { namespaces: ['other'] })) },
      fits: ['b1'],
    },
    {
      it: 'namespaces by label',
      affinity: { podAffinity: required(term('cache', 'zone', selector('team', 'In', 'b'))) },
      fits: ['b1'],
    },
    {
      it: 'every namespace',
      affinity: { podAffinity: required(term('cache', 'zone', { namespaceSelector: {} })) },
      fits: ['b1'],
    },
    {
      it: 'a selector that also matches no labels',
      affinity: { podAffinity: required(term('cache', 'zone', selector('team', 'NotIn', 'b'))) },
      fits: ['b1'],
    },
    {
      it: 'a selector of no namespace',
      affinity: { podAffinity: required(term('cache', 'zone', selector('team', 'In', 'c'))) },
      fits: [],
    },
    { it: 'no selector selects no pod', affinity: { podAntiAffinity: required(term(undefined)) }, fits: ALL },
  ])('$it', ({ affinity, fits }) => {
    expect(fitting(candidate(affinity), inOther)).toEqual(fits)
  })

  test('pods of other namespaces do not count unless they are named', () => {
    const state = cluster(existing('x', 'b1', 'cache', undefined, { namespace: 'other' }))
    expect(fitting(candidate({ podAffinity: required(term('cache')) }), state)).toEqual([])
  })

  test.for([
    { it: 'excludes its zone', terms: [term('web')], fits: ['b1', 'bare'] },
    { it: 'does not exclude other pods', terms: [term('cache')], fits: ALL },
    {
      it: 'by a namespace selector',
      terms: [term('web', 'host', selector('team', 'In', 'a'))],
      fits: ['a1', 'b1', 'bare'],
    },
    { it: 'not by one of other namespaces', terms: [term('web', 'host', selector('team', 'In', 'b'))], fits: ALL },
    { it: 'one invalid term takes the others with it', terms: [term('web'), term('no value')], fits: ALL },
  ])('the anti-affinity of a pod that is there: $it', ({ terms, fits }) => {
    const state = cluster(existing('x', 'a2', 'x', { podAntiAffinity: required(...terms) }))
    expect(fitting(pod('p', {}, {}, { labels: { app: 'web' } }), state)).toEqual(fits)
  })

  test('says what is wrong with each node', () => {
    const state = cluster(existing('x', 'b1', 'x', { podAntiAffinity: required(term('web', 'host')) }))
    const statusOf = (affinity: Affinity, node: string) =>
      examineFilter(interPodAffinity(), state, candidate(affinity), input).nodes.get(node)
    expect(statusOf({ podAffinity: required(term('db')) }, 'bare')).toEqual({
      code: StatusCode.UnschedulableAndUnresolvable,
      reasons: ["node(s) didn't match pod affinity rules"],
    })
    expect(statusOf({ podAntiAffinity: required(term('db')) }, 'a2')).toEqual({
      code: StatusCode.Unschedulable,
      reasons: ["node(s) didn't match pod anti-affinity rules"],
    })
    expect(statusOf({}, 'b1')).toEqual({
      code: StatusCode.Unschedulable,
      reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"],
    })
  })

  test('an invalid selector of the pod rejects every node', () => {
    const { preFilter } = examineFilter(
      interPodAffinity(),
      cluster(),
      candidate({ podAffinity: preferred(1, term('no value')) }),
      input,
    )
    expect(preFilter).toMatchObject({ kind: 'reject', code: StatusCode.UnschedulableAndUnresolvable })
    expect(preFilter?.kind === 'reject' && preFilter.reasons[0]).toMatch(/^parsing pod: preferredAffinityTerms: /)
  })

  test('a nominated pod counts, for and against', () => {
    const nominated = (affinity?: Affinity) =>
      pod('waiting', {}, { priority: 9, ...(affinity && { affinity }) }, { uid: 'w', labels: { app: 'cache' } })
    const state = cluster()
    state.nominate(nominated({ podAntiAffinity: required(term('web', 'host')) }), 'b1')
    expect(fitting(candidate({ podAntiAffinity: required(term('cache', 'host')) }), state)).toEqual([
      'a1',
      'a2',
      'bare',
    ])
    // A pass without nominated pods follows, where no pod matches the affinity.
    expect(fitting(candidate({ podAffinity: required(term('cache', 'host')) }), state)).toEqual([])
  })

  test('follows pods and nodes that come and go, in forks too', () => {
    const state = cluster()
    const away = candidate({ podAntiAffinity: required(term('db')) })
    const hermit = existing('hermit', 'b1', 'x', { podAntiAffinity: required(term('web')) })
    expect(fitting(away, state)).toEqual(['b1', 'bare'])
    const fork = state.fork()
    fork.setPod(hermit)
    fork.setPod({ ...hermit, metadata: { ...hermit.metadata, uid: 'hermit2' } })
    state.deletePod(pod('db'))
    expect(fitting(away, fork)).toEqual(['bare'])
    expect(fitting(away, state)).toEqual(ALL)
    fork.deletePod(hermit)
    expect(fitting(away, fork)).toEqual(['bare'])
    fork.setNode({ metadata: { name: 'a2', labels: { zone: 'c' } } })
    expect(fitting(away, fork)).toEqual(['a2', 'bare'])
  })
})

describe('InterPodAffinity as a scorer', () => {
  test.for<{ it: string; affinity: Affinity; result: unknown }>([
    {
      it: 'prefers the database',
      affinity: { podAffinity: preferred(5, term('db')) },
      result: { a1: 100, a2: 100, b1: 0, bare: 0 },
    },
    {
      it: 'avoids it',
      affinity: { podAntiAffinity: preferred(5, term('db', 'host')) },
      result: { a1: 0, a2: 100, b1: 100, bare: 100 },
    },
    { it: 'no pod matches', affinity: { podAffinity: preferred(5, term('cache')) }, result: 'skipped' },
  ])('$it', ({ affinity, result }) => {
    expect(scores(candidate(affinity))).toEqual(result)
  })

  const fan = (affinity: Affinity) => cluster(existing('fan', 'b1', 'fan', affinity))
  const web = pod('p', {}, {}, { labels: { app: 'web' } })
  const here = { a1: 0, a2: 0, b1: 100, bare: 0 }
  const elsewhere = { a1: 100, a2: 100, b1: 0, bare: 100 }

  test.for<{ it: string; affinity: Affinity; args?: InterPodAffinityArgs; result: unknown }>([
    { it: 'prefers it', affinity: { podAffinity: preferred(5, term('web')) }, result: here },
    { it: 'avoids it', affinity: { podAntiAffinity: preferred(5, term('web')) }, result: elsewhere },
    { it: 'needs it', affinity: { podAffinity: required(term('web')) }, result: here },
    {
      it: 'needs it, which is worth nothing',
      affinity: { podAffinity: required(term('web')) },
      args: { hardPodAffinityWeight: 0 },
      result: 'skipped',
    },
    {
      it: 'prefers it, which is ignored',
      affinity: { podAffinity: preferred(5, term('web')) },
      args: { ignorePreferredTermsOfExistingPods: true },
      result: 'skipped',
    },
    { it: 'prefers other pods', affinity: { podAffinity: preferred(5, term('db')) }, result: 'skipped' },
  ])('a pod that is there $it', ({ affinity, args, result }) => {
    expect(scores(web, fan(affinity), args)).toEqual(result)
  })

  test('scores that are all the same are 0', () => {
    const state = cluster(existing('2', 'b1', 'db'), existing('3', 'bare', 'x'))
    const { normalized } = examineScore(
      interPodAffinity(),
      state,
      candidate({ podAffinity: preferred(5, term('db')) }),
      {
        ...input,
        feasible: ['a1', 'b1'],
      },
    )
    expect(Object.fromEntries(normalized)).toEqual({ a1: 0, b1: 0 })
  })

  test('a selector that is not valid breaks the scoring', () => {
    expect(() => scores(candidate({ podAffinity: preferred(1, term('no value')) }))).toThrow('parsing pod: ')
  })
})

test.for<{ args: unknown; field: string }>([
  { args: { hardPodAffinityWeight: 101 }, field: 'hardPodAffinityWeight' },
  { args: { hardPodAffinityWeight: -1 }, field: 'hardPodAffinityWeight' },
  { args: { weight: 1 }, field: 'weight' },
])('InterPodAffinityArgs $args are refused', ({ args, field }) => {
  const build = () => interPodAffinity(args as InterPodAffinityArgs)
  expect(build).toThrow(ProfileError)
  expect(build).toThrow(field)
})
