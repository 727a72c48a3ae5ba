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

function scene(...pods: readonly Pod[]) {
  const table = new ClusterTable()
  table.setNode(node('n'))
  for (const bound of pods) table.setPod(bound)
  const ports = (): readonly number[] | undefined => table.dryRunPorts.get(0)?.map(({ port }: HostPort) => port)
  return { table, trial: new RowDryRun(table, 0), ports }
}

describe('RowTrial', () => {
  test('a port that two pods share is free as soon as one of them leaves, as upstream keeps it', () => {
    const [a, b] = [onPorts('a', 80, 443), onPorts('b', 80)]
    const { trial, ports } = scene(a, b)
    trial.remove(b)
    expect(ports()).toEqual([443])
    trial.add(b)
    expect(ports()).toEqual([443, 80])
  })

  test('a trial inside another gives back what the outer one changed, and the outer one everything', () => {
    const [a, b] = [onPorts('a', 80), onPorts('b', 443)]
    const { table, trial, ports } = scene(a, b)
    trial.remove(a)
    const inner = new RowDryRun(table, 0)
    inner.remove(b)
    expect(ports()).toEqual([])
    inner.restore()
    expect(ports()).toEqual([443])
    trial.restore()
    expect([ports(), table.podsOn(0)]).toEqual([undefined, [a, b]])
  })

  test('pods without ports of the host leave the ports alone', () => {
    const { trial, ports } = scene(pod('a', {}, { nodeName: 'n' }))
    trial.remove(pod('a', {}, { nodeName: 'n' }))
    expect(ports()).toBeUndefined()
  })
})
