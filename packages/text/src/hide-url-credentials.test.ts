import { expect, test } from 'vitest'
import { hideUrlCredentials } from './hide-url-credentials.ts'

test.for([
  { given: 'https://host:6443/path', shown: 'https://host:6443/path' },
  { given: 'https://me:secret@host:6443', shown: 'https://…@host:6443' },
  { given: 'https://me:se/cr@et@host:x', shown: 'https://…@host:x' },
  { given: 'me:secret@host', shown: '…@host' },
  { given: 'nowhere', shown: 'nowhere' },
])('shows $given as $shown', ({ given, shown }) => expect(hideUrlCredentials(given)).toBe(shown))
