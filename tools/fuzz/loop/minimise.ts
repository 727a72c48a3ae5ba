const MAX_TRIES = 400

/**
 * Removes parts of an input while it still fails.
 *
 * @param fails - Returns whether an input fails in the same way.
 */
export async function minimise(input: Uint8Array, fails: (input: Uint8Array) => Promise<boolean>): Promise<Uint8Array> {
  let smallest = input
  let tries = 0
  for (let length = Math.ceil(input.length / 2); length >= 1; length = length === 1 ? 0 : Math.ceil(length / 2)) {
    for (let at = 0; at < smallest.length && tries < MAX_TRIES;) {
      tries += 1
      const shorter = new Uint8Array(Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + length)]))
      if (await fails(shorter)) smallest = shorter
      else at += length
    }
  }
  return smallest
}
