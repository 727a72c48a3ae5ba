import { describe, expect, test } from 'vitest'
import { formatHostPort, isHostPort, parseHostPort } from './host-port.ts'

describe('parseHostPort', () => {
  test.for([
    { text: '127.0.0.1:9402', host: '127.0.0.1', port: 9402 },
    { text: 'localhost:0', host: 'localhost', port: 0 },
    { text: ':80', host: '', port: 80 },
    { text: '[::1]:65535', host: '::1', port: 65_535 },
  ])('reads $text, and writes it back', ({ text, host, port }) => {
    expect(parseHostPort(text)).toEqual({ host, port })
    expect(isHostPort(text)).toBe(true)
    expect(formatHostPort({ host, port })).toBe(text)
  })

  test.for(['', '9402', 'host', 'host:', '::1:80', 'host:65536', 'host:-1', 'http://host:80', 'a b:80', 'host:80/x'])(
    'refuses "%s"',
    (text) => {
      expect(isHostPort(text)).toBe(false)
      expect(() => parseHostPort(text)).toThrow(expect.objectContaining({ code: 'BERTH_LISTEN_ADDRESS' }))
    },
  )
})
