import type { ContainerPort, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { hostPorts, hostPortsConflict, usesHostPorts } from './host-ports.ts'

const pod = (
  ports: readonly ContainerPort[],
  initPorts: readonly ContainerPort[] = [],
  restartPolicy?: string,
): Pod => ({
  metadata: {},
  spec: {
    containers: [{ name: 'c', ports }],
    initContainers: [{ name: 'i', ports: initPorts, ...(restartPolicy !== undefined && { restartPolicy }) }],
  },
})

describe('hostPorts', () => {
  test('fills in address and protocol, drops duplicates and container ports, and sorts', () => {
    const ports = [
      { containerPort: 1, hostPort: 90, protocol: 'UDP' },
      { containerPort: 1, hostPort: 90 },
      { containerPort: 2, hostPort: 90, hostIP: '', protocol: '' },
      { containerPort: 1, hostPort: 9, hostIP: '10.0.0.1' },
      { containerPort: 1, hostPort: 80 },
      { containerPort: 3 },
      { containerPort: 3, hostPort: -1 },
    ]
    expect(hostPorts(pod(ports))).toEqual([
      { ip: '0.0.0.0', protocol: 'TCP', port: 80 },
      { ip: '0.0.0.0', protocol: 'TCP', port: 90 },
      { ip: '0.0.0.0', protocol: 'UDP', port: 90 },
      { ip: '10.0.0.1', protocol: 'TCP', port: 9 },
    ])
  })

  test('includes sidecars but no other init containers', () => {
    const port = { containerPort: 1, hostPort: 80 }
    expect(hostPorts(pod([], [port], 'Always'))).toHaveLength(1)
    expect(hostPorts(pod([], [port]))).toEqual([])
    expect([usesHostPorts(pod([], [port], 'Always')), usesHostPorts(pod([], [port]))]).toEqual([true, false])
    expect([usesHostPorts(pod([port])), usesHostPorts(pod([{ containerPort: 1 }]))]).toEqual([true, false])
  })
})

describe('hostPortsConflict', () => {
  const port = (ip: string, protocol = 'TCP', number = 80): { ip: string; protocol: string; port: number } => ({
    ip,
    protocol,
    port: number,
  })
  test.for([
    { it: 'same address', a: port('10.0.0.1'), b: port('10.0.0.1'), conflict: true },
    { it: 'every address on one side', a: port('0.0.0.0'), b: port('10.0.0.1'), conflict: true },
    { it: 'every address on the other side', a: port('10.0.0.1'), b: port('0.0.0.0'), conflict: true },
    { it: 'other address', a: port('10.0.0.1'), b: port('10.0.0.2'), conflict: false },
    { it: 'other protocol', a: port('0.0.0.0'), b: port('0.0.0.0', 'UDP'), conflict: false },
    { it: 'other port', a: port('0.0.0.0'), b: port('0.0.0.0', 'TCP', 81), conflict: false },
  ])('$it: $conflict', ({ a, b, conflict }) => {
    expect(hostPortsConflict(a, b)).toBe(conflict)
  })
})
