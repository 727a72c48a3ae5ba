import { expect, test } from 'vitest'
import { makeEvent } from './make-event.ts'

test('the note of an event is one line without control characters', () => {
  const note = 'device a\u001b[2J\nb\u202e is Unhealthy:\r\n\tit is gone'
  const event = makeEvent(
    { regarding: { kind: 'Pod', namespace: 'lab', name: 'p' }, type: 'Warning', reason: 'R', action: 'A', note },
    { controller: 'c', instance: 'i', nowMs: 0, serial: 0 },
  )
  expect(event.note).toBe('device a b is Unhealthy: it is gone')
})
