import { expect, test } from 'vitest'
import { createResponseBuffers, type WritesJson } from './response-buffers.ts'

const response = (text: string): WritesJson => ({ writeTo: (bytes) => bytes.text(text) })

test('a response keeps its bytes until it is sent, whatever is written meanwhile', () => {
  const write = createResponseBuffers()
  const first = write(response('first'))
  const second = write(response('second'))
  expect([first, second].map(({ bytes }) => bytes.toString())).toEqual(['"first"', '"second"'])
})

test('the memory of a response that was sent is used again, once', () => {
  const write = createResponseBuffers()
  const first = write(response('first'))
  first.release()
  first.release()
  const second = write(response('second'))
  const third = write(response('third'))
  expect(second.bytes.buffer).toBe(first.bytes.buffer)
  expect(third.bytes.buffer).not.toBe(first.bytes.buffer)
  expect(second.bytes.toString()).toBe('"second"')
})

test('the memory of unusually large responses, and of more than two, is given back', () => {
  const write = createResponseBuffers()
  const large = write(response('x'.repeat(2_000_000)))
  large.release()
  expect(write(response('small')).bytes.buffer).not.toBe(large.bytes.buffer)
  const sent = Array.from({ length: 4 }, (_, i) => write(response(`${i}`)))
  for (const { release } of sent) release()
  const reused = new Set(Array.from({ length: 4 }, () => write(response('again')).bytes.buffer))
  expect(sent.filter(({ bytes }) => reused.has(bytes.buffer))).toHaveLength(2)
})
