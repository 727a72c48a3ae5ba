import type { HostPort } from '@berth/resources'
import type { ContainerPort, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { node, pod } from '../../test/builders.ts'
import { ClusterTable } from './cluster-table.ts'
import { RowDryRun } from './row-dry-run.ts'

const onPorts = (name: string, ...ports: readonly number[]): Pod =>
  pod(
    name,
    {},
    {
      nodeName: 'n',
      containers: [{ name: 'c', ports: ports.map((hostPort): ContainerPort => ({ containerPort: 1, hostPort })) }],
    },
  )

function setUp(...pods: readonly Pod[]) {
  const table = new ClusterTable()
  table.setNode(node('n'))
  for (const bound of pods) table.setPod(bound)
  const ports = (): readonly number[] | undefined => table.dryRunPorts.get(0)?.map(({ port }: HostPort) => port)
  return { table, dryRun: new RowDryRun(table, 0), ports }
}

describe('RowDryRun', () => {
  test('frees a port that two pods share as soon as one of them is removed, like upstream', () => {
    const [a, b] = [onPorts('a', 80, 443), onPorts('b', 80)]
    const { dryRun, ports } = setUp(a, b)
    dryRun.remove(b)
    expect(ports()).toEqual([443])
    dryRun.add(b)
    expect(ports()).toEqual([443, 80])
  })

  test('a nested dry run restores the state of the outer one, and the outer one the original state', () => {
    const [a, b] = [onPorts('a', 80), onPorts('b', 443)]
    const { table, dryRun, ports } = setUp(a, b)
    dryRun.remove(a)
    const inner = new RowDryRun(table, 0)
    inner.remove(b)
    expect(ports()).toEqual([])
    inner.restore()
    expect(ports()).toEqual([443])
    dryRun.restore()
    expect([ports(), table.podsOn(0)]).toEqual([undefined, [a, b]])
  })

  test('does not track ports while only pods without host ports are removed', () => {
    const { dryRun, ports } = setUp(pod('a', {}, { nodeName: 'n' }))
    dryRun.remove(pod('a', {}, { nodeName: 'n' }))
    expect(ports()).toBeUndefined()
  })
})
