import { expect, test } from 'vitest'
import { testTerminal } from '../../test/test-terminal.ts'
import { readLines } from './read-lines.ts'

async function linesOf(text: string, bytes: number): Promise<readonly string[]> {
  const all = Buffer.from(text)
  async function* readChunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes)
  }
  return await Array.fromAsync(readLines({ readChunks }, 'a.log'))
}

test.for([1, 2, 3, 100])('returns the lines of a file that is read in parts of %i bytes', async (bytes) => {
  expect(await linesOf('one\n\nthré€\nlast', bytes)).toEqual(['one', '', 'thré€', 'last'])
  expect(await linesOf('one\n', bytes)).toEqual(['one'])
})

test('says which file cannot be read', async () => {
  await expect(Array.fromAsync(readLines(testTerminal(), 'a.log'))).rejects.toMatchObject({
    code: 'BERTH_KUBECTL_FILE',
    message: 'read a.log: no such file or directory',
  })
})
