import { expect, test } from 'vitest'
import { errorText } from './error-text.ts'

test.for([
  { thrown: new TypeError('no such file'), text: 'no such file' },
  { thrown: 'a string', text: 'a string' },
  { thrown: new SuppressedError(new Error('late'), new Error('early')), text: 'early; then late' },
  { thrown: undefined, text: 'undefined' },
  { thrown: null, text: 'null' },
])('returns "$text"', ({ thrown, text }) => {
  expect(errorText(thrown)).toBe(text)
})
