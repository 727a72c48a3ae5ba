import type { DeviceClass, ResourceList } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, framework, input, node, pod } from '../../../test/builders.ts'
import { stored } from '../../../test/storage-builders.ts'
import {
  createFramework,
  decide,
  defaultPlugins,
  explain,
  isOffered,
  unsupportedFeatures,
  verdicts,
} from '../../index.ts'

const GPU = 'example.com/gpu'
const IMPLICIT = 'deviceclass.resource.kubernetes.io/gpu.example.com'
const reason = (name: string, deviceClass: string): string =>
  `node(s) didn't offer ${name}, which is delegated to DeviceClass ${deviceClass}`

function deviceClass(name: string, extendedResourceName?: string, creationTimestamp?: string): DeviceClass {
  return {
    metadata: { name, ...(creationTimestamp !== undefined && { creationTimestamp }) },
    spec: { ...(extendedResourceName !== undefined && { extendedResourceName }) },
  }
}

describe('a resource that a DeviceClass backs', () => {
  test.for<{ it: string; classes: readonly DeviceClass[]; asks: string; by?: string }>([
    { it: 'by its extendedResourceName', classes: [deviceClass('gpus', GPU)], asks: GPU, by: 'gpus' },
    {
      it: 'by the name of the class',
      classes: [deviceClass('gpu.example.com')],
      asks: IMPLICIT,
      by: 'gpu.example.com',
    },
    { it: 'not by another class', classes: [deviceClass('nics', 'example.com/nic')], asks: GPU },
    { it: 'not by the name of a class that is not there', classes: [deviceClass('gpus', GPU)], asks: IMPLICIT },
    {
      it: 'by the newest of several classes',
      classes: [deviceClass('old', GPU, '2026-01-01T00:00:00Z'), deviceClass('new', GPU, '2026-01-02T00:00:00Z')],
      asks: GPU,
      by: 'new',
    },
    {
      it: 'by the first name of classes of the same age',
      classes: [deviceClass('b', GPU), deviceClass('a', GPU), deviceClass('c', GPU)],
      asks: GPU,
      by: 'a',
    },
    {
      it: 'not by the name of an older class that came when a newer one had its resource name',
      classes: [
        deviceClass('new', GPU, '2026-01-02T00:00:00Z'),
        deviceClass('gpu.example.com', GPU, '2026-01-01T00:00:00Z'),
      ],
      asks: IMPLICIT,
    },
    {
      it: 'by the name of an older class that was there first',
      classes: [
        deviceClass('gpu.example.com', GPU, '2026-01-01T00:00:00Z'),
        deviceClass('new', GPU, '2026-01-02T00:00:00Z'),
      ],
      asks: IMPLICIT,
      by: 'gpu.example.com',
    },
    { it: 'not when it is native', classes: [deviceClass('cpus', 'cpu')], asks: 'cpu' },
  ])('$it: $by', ({ classes, asks, by }) => {
    const state = stored([node('n', { cpu: '0' })], { deviceClasses: classes })
    const decision = decide(framework, state, pod('p', { [asks]: '1' }), input)
    expect(decision.feasible).toEqual([])
    const why = by === undefined ? `Insufficient ${asks}` : reason(asks, by)
    expect(decision.message).toBe(`0/1 nodes are available: 1 ${why}.`)
    const kinds = verdicts(decision).map(({ kind }) => kind)
    expect(kinds).toEqual([by === undefined ? 'unresolvable' : 'delegated'])
  })

  test.for<{ it: string; offers: ResourceList; kind: string; reasons?: readonly string[] }>([
    { it: 'offers it: counted as ever', offers: { [GPU]: '2' }, kind: 'fits' },
    {
      it: 'offers too few',
      offers: { [GPU]: '1' },
      kind: 'unresolvable',
      reasons: [`Insufficient ${GPU}`],
    },
    { it: 'offers none', offers: { [GPU]: '0' }, kind: 'delegated' },
    { it: 'does not know it', offers: {}, kind: 'delegated' },
    { it: 'lacks something else', offers: { cpu: '1' }, kind: 'unresolvable', reasons: ['Insufficient cpu'] },
    { it: 'is full of pods', offers: { pods: '0' }, kind: 'unschedulable', reasons: ['Too many pods'] },
  ])('on a node that $it: $kind', ({ offers, kind, reasons }) => {
    const state = stored([node('n', offers)], { deviceClasses: [deviceClass('gpus', GPU)] })
    const [verdict] = verdicts(decide(framework, state, pod('p', { [GPU]: '2', cpu: '2' }), input))
    expect(verdict).toMatchObject({
      kind,
      ...(kind === 'delegated' && { resourceNames: [GPU] }),
      ...(reasons !== undefined && { rejections: [{ plugin: 'NodeResourcesFit', reasons }] }),
    })
  })

  test('is not looked at where it is ignored', () => {
    const profile = createFramework({ plugins: defaultPlugins({ NodeResourcesFit: { ignoredResources: [GPU] } }) })
    const state = stored([node('n')], { deviceClasses: [deviceClass('gpus', GPU)] })
    expect(decide(profile, state, pod('p', { [GPU]: '2' }), input).feasible).toEqual(['n'])
  })

  test('goes to nodes that offer it, and the others are counted apart', () => {
    const nodes = [node('full', { [GPU]: '1' }), node('dra-1'), node('dra-2')]
    const state = stored(nodes, { deviceClasses: [deviceClass('gpus', GPU)] }, [boundPod('h', 'full', { [GPU]: '1' })])
    const asks = pod('p', { [GPU]: '1' })
    const quick = decide(framework, state, asks, { ...input, rejections: 'when-none-fits' })
    expect(quick.message).toBe(`0/3 nodes are available: 1 Insufficient ${GPU}, 2 ${reason(GPU, 'gpus')}.`)
    state.deletePod(boundPod('h', 'full'))
    expect(decide(framework, state, asks, input).best).toEqual(['full'])
  })

  test('is explained, and a node that would offer it is a way out', () => {
    const state = stored([node('n')], { deviceClasses: [deviceClass('gpus', GPU)] })
    const { nodes, fixes } = explain(framework, state, pod('p', { [GPU]: '1' }), input)
    expect(nodes.map(({ verdict }) => verdict)).toEqual([{ kind: 'delegated', node: 'n', resourceNames: [GPU] }])
    expect(fixes.find(({ kind }) => kind === 'add-capacity')?.sentence).toBe(
      `Increase the capacity of node n by 1 ${GPU}.`,
    )
  })

  test('is refused, in a sentence, unless some node offers it', () => {
    const state = stored([node('n')], { deviceClasses: [deviceClass('gpus', GPU)] })
    const asks = pod('p', { [GPU]: '1', 'example.com/other': '1' })
    const features = (): readonly string[] => unsupportedFeatures(asks, state.objects, (name) => isOffered(state, name))
    const sentence =
      `resources.requests[${GPU}]: DeviceClass gpus backs it, no node offers it, ` +
      'and dynamic resource allocation is not implemented'
    expect(features()).toEqual([sentence])
    state.setNode(node('classic', { [GPU]: '0' }))
    expect(features()).toEqual([sentence])
    state.setNode(node('classic', { [GPU]: '1' }))
    expect(features()).toEqual([])
    expect(unsupportedFeatures(asks, state.objects)).toEqual([sentence])
    expect(unsupportedFeatures(pod('q', { [GPU]: '0' }), state.objects)).toEqual([])
  })
})
