import { describe, expect, test } from 'vitest'
import { createBodyMemory, type HeldBody } from './body-memory.ts'

const ignore = (): void => {}

function memory() {
  const own = createBodyMemory({ total: 100, perConnection: 60 })
  const dropped: string[] = []
  const open = (name: string, connection: object = {}) => {
    const body: HeldBody = own.open(connection)
    return { ...body, add: (bytes: number) => body.add(bytes, () => void dropped.push(name)) }
  }
  return { open, dropped }
}

describe('createBodyMemory', () => {
  test('drops the body that has been received for the longest time for a newer one', () => {
    const { open, dropped } = memory()
    const [first, second, third] = [open('first'), open('second'), open('third')]
    expect([first.add(50), second.add(50)]).toEqual([undefined, undefined])
    expect(third.add(10)).toBeUndefined()
    expect(dropped).toEqual(['first'])
    expect(first.add(1)).toBe('dropped')
    expect(third.add(40)).toBeUndefined()
    expect(dropped).toEqual(['first'])
    expect(third.add(1)).toBeUndefined()
    expect(dropped).toEqual(['first', 'second'])
  })

  test('never drops a complete body: the newer one is refused until one is released', () => {
    const { open, dropped } = memory()
    const held = [open('a'), open('b')]
    for (const body of held) {
      expect(body.add(50)).toBeUndefined()
      body.complete()
    }
    expect(open('c').add(1)).toBe('total')
    held[0]?.release()
    held[0]?.release()
    expect(open('d').add(50)).toBeUndefined()
    expect(open('e').add(51)).toBe('total')
    expect(dropped).toEqual(['d'])
  })

  test('bounds the bodies of one connection, which do not displace those of others', () => {
    const { open, dropped } = memory()
    const connection = {}
    const other = open('other')
    expect(other.add(30)).toBeUndefined()
    const own = [open('one', connection), open('two', connection)]
    expect(own[0]?.add(40)).toBeUndefined()
    expect(own[1]?.add(21)).toBe('connection')
    expect(dropped).toEqual([])
    own[0]?.release()
    expect(open('three', connection).add(60)).toBeUndefined()
  })

  test('refuses a body that is larger than everything, and holds nothing of it', () => {
    const own = createBodyMemory({ total: 100, perConnection: 1_000 })
    expect(own.open({}).add(101, ignore)).toBe('total')
    expect(own.open({}).add(100, ignore)).toBeUndefined()
  })
})
