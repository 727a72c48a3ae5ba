import type { Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { resourceUsers } from './resource-users.ts'

const SEAT = 'example.com/seat'

function pod(name: string, units: string, more: { readonly nodeName?: string; readonly phase?: string } = {}): Pod {
  const { nodeName = 'n', phase = 'Running' } = more
  const containers = [{ name: 'c', resources: { requests: { [SEAT]: units } } }]
  return {
    metadata: { name },
    spec: { ...(nodeName !== 'absent' && { nodeName }), containers },
    status: { phase },
  }
}

test('returns the running pods that request units, sorted by name', () => {
  const pods = [pod('b', '2'), pod('a', '1'), pod('none', '0')]
  expect(resourceUsers(pods, SEAT)).toEqual([
    { name: 'default/a', units: 1n },
    { name: 'default/b', units: 2n },
  ])
})

test('ignores pods that have ended or have no node, and other resources', () => {
  const pods = [
    pod('ended', '1', { phase: 'Succeeded' }),
    pod('pending', '1', { nodeName: 'absent' }),
    pod('empty', '1', { nodeName: '' }),
    pod('a', '1'),
  ]
  expect(resourceUsers(pods, SEAT).map(({ name }) => name)).toEqual(['default/a'])
  expect(resourceUsers(pods, 'example.com/other')).toEqual([])
})
