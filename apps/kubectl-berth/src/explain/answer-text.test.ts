import { describe, expect, test } from 'vitest'
import { paintFor } from '../output/paint.ts'
import { answerText } from './answer-text.ts'
import type { NodeAnswer, PodAnswer } from './pod-answer.ts'

const dongle = 'example.com/dongle'
const answer = (more: Partial<PodAnswer> = {}): PodAnswer => ({
  pod: { namespace: 'default', name: 'extended-resource-demo-2' },
  asks: new Map([[dongle, 2n]]),
  fits: false,
  feasible: [],
  best: [],
  message: `0/3 nodes are available: 2 Insufficient ${dongle}, 1 node(s) were unschedulable.`,
  nodes: [
    {
      node: 'node-a',
      verdict: 'unschedulable',
      reasons: [`Insufficient ${dongle}`],
      resources: [
        {
          resourceName: dongle,
          asks: 2n,
          has: 4n,
          used: 3n,
          free: 1n,
          heldBy: [{ namespace: 'default', name: 'extended-resource-demo', uid: 'u', amount: 3n, priority: 0 }],
        },
      ],
      causes: [],
      volumes: [],
    },
    {
      node: 'node-b',
      verdict: 'unresolvable',
      reasons: [`Insufficient ${dongle}`],
      resources: [{ resourceName: dongle, asks: 2n, has: 0n, used: 0n, free: 0n, heldBy: [] }],
      causes: [],
      volumes: [],
    },
    {
      node: 'node-c',
      verdict: 'unresolvable',
      reasons: ['node(s) were unschedulable'],
      resources: [],
      causes: [],
      volumes: [],
    },
  ],
  funnel: [
    { plugin: 'NodeUnschedulable', before: 3, after: 2 },
    { plugin: 'NodeName', before: 2, after: 2 },
    { plugin: 'NodeResourcesFit', before: 2, after: 0 },
  ],
  fixes: [
    {
      kind: 'lower-request',
      node: 'node-a',
      cost: 1,
      sentence: `Request 1 ${dongle} instead of 2: node-a has that left.`,
      commands: ['kubectl apply -f pod.yaml'],
      note: 'first set example.com/dongle=1 in requests and limits of the manifest',
    },
  ],
  unsupported: [],
  ...more,
})
const options = { columns: 80, tableColumns: Infinity, paint: paintFor({ hasColor: false }), isWide: false, nowMs: 0 }

describe('answerText', () => {
  test('shows verdict, numbers, funnel and fixes within 80 columns', () => {
    expect(answerText(answer(), options))
      .toBe(`Pod default/extended-resource-demo-2 asks for example.com/dongle: 2 and fits on
none of 3 nodes.
0/3 nodes are available: 2 Insufficient example.com/dongle, 1 node(s) were
unschedulable.

NODE     FITS   RESOURCE             ASKS   HAS   FREE   HELD BY
node-a   no     example.com/dongle   2      4     1      default/extended-resource-demo (3)
node-b   no     example.com/dongle   2      0     0      not offered here
node-c   no     node(s) were unschedulable

NODES LEFT AFTER EACH FILTER
  NodeUnschedulable   3 -> 2
  NodeResourcesFit    2 -> 0

WHAT WOULD HELP (cheapest first; each was tried on a copy of the cluster)
  1. Request 1 example.com/dongle instead of 2: node-a has that left.
     (first set example.com/dongle=1 in requests and limits of the manifest)
     kubectl apply -f pod.yaml
`)
  })

  test('says where a pod that fits would go, and offers no fixes', () => {
    const fits: Partial<PodAnswer> = { fits: true, feasible: ['node-a', 'node-b'], best: ['node-a'], message: '' }
    const text = answerText(
      answer({
        ...fits,
        asks: new Map(),
        nodes: [{ node: 'node-a', verdict: 'fits', reasons: [], resources: [], causes: [], volumes: [] }],
      }),
      options,
    )
    expect(text).toContain('asks for no extended resource and fits on 2\nof 1 node, best on node-a.')
    expect(text).toContain('node-a   yes')
    expect(text).not.toContain('WHAT WOULD HELP')
  })

  test('says when nothing helps, what was not evaluated, and where the pod runs now', () => {
    const text = answerText(
      answer({
        fixes: [],
        unsupported: ['spec.resourceClaims: no'],
        pod: { namespace: 'a', name: 'b', nodeName: 'node-c' },
      }),
      options,
    )
    expect(text).toContain('Berth found no change that makes the pod fit.')
    expect(text).toContain('Not evaluated: spec.resourceClaims: no.')
    expect(text).toContain('It is\nassigned to node-c;')
  })

  test('shows twenty nodes and three holders, or all of them with -o wide', () => {
    const holder = (name: string) => ({ namespace: 'a', name, uid: name, amount: 1n, priority: 0 })
    const heldBy = ['p', 'q', 'r', 's', 't'].map(holder)
    const nodes = Array.from({ length: 25 }, (_, index): NodeAnswer => ({
      node: `node-${index}`,
      verdict: 'unschedulable',
      reasons: [],
      resources: [{ resourceName: dongle, asks: 2n, has: 5n, used: 5n, free: 0n, heldBy }],
      causes: [],
      volumes: [],
    }))
    const short = answerText(answer({ nodes }), options)
    expect(short).toContain('… and 5 more nodes, further from fitting: -o wide shows all')
    expect(short).toContain('a/p (1), a/q (1), a/r (1), 2 more')
    const wide = answerText(answer({ nodes }), { ...options, isWide: true })
    expect(wide).toContain('node-24')
    expect(wide).toContain('a/s (1), a/t (1)')
  })

  test('gives causes once for nodes with the same ones, five for each, within 80 columns', () => {
    const volumeOf = (index: number) => ({
      claim: 'data',
      volume: `pv-${index}`,
      problem: 'too-small' as const,
      sentence: `Volume pv-${index} does not match claim data: it has 1Gi, and the claim requests 5Gi.`,
    })
    const nodes = ['a', 'b', 'c'].map((node): NodeAnswer => ({
      node,
      verdict: 'unresolvable',
      reasons: ["node(s) didn't find available persistent volumes to bind"],
      resources: [],
      causes: [],
      volumes: node === 'c' ? [volumeOf(0)] : Array.from({ length: 7 }, (_, index) => volumeOf(index)),
    }))
    const short = answerText(answer({ nodes }), options)
    expect(short).toContain(`CAUSES
  a, b:
    Volume pv-0 does not match claim data: it has 1Gi, and the claim requests
    5Gi.
`)
    expect(short).toContain('    … and 2 more: -o wide shows all\n  c:\n    Volume pv-0')
    expect(answerText(answer({ nodes }), { ...options, isWide: true })).toContain('Volume pv-6 does not match')
  })

  test.for([40, 60, 80, 200])('keeps sentences within %i columns', (columns) => {
    const text = answerText(
      answer({
        profile: {
          source: 'assumed',
          sentence: 'Decided with the default profile, which is assumed. '.repeat(5).trim(),
        },
        disagreement: 'The pod fits by this decision, but its condition says otherwise. '.repeat(3).trim(),
        unsupported: ['some feature of the pod that is long enough to be wrapped at least once in most terminals'],
      }),
      { ...options, columns },
    )
    const isTable = (line: string): boolean => /^(?:NODE|node-|  Node|WHAT|     kubectl)/.test(line)
    const tooLong = text.split('\n').filter((line) => line.length > columns && !isTable(line))
    expect(tooLong).toEqual([])
  })

  test('colours only what words say too', () => {
    const coloured = answerText(answer(), { ...options, paint: paintFor({ hasColor: true }) })
    expect(coloured).toContain('\u001B[31mPod default/')
    // eslint-disable-next-line no-control-regex
    expect(coloured.replaceAll(/\u001B\[\d+m/g, '')).toBe(answerText(answer(), options))
  })
})
