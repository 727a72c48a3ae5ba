import { expect, test } from 'vitest'
import { programPath } from './program-path.ts'

const execPath = '/home/me/.krew/store/berth/v0.1.0/kubectl-berth'
const link = '/home/me/.krew/bin/kubectl-berth'

test.for([
  { it: 'the script that Node runs', isSingleExecutable: false, called: '/opt/main.js', program: '/opt/main.js' },
  { it: 'the path that kubectl passes', isSingleExecutable: true, called: link, program: link },
  {
    it: 'the first program of the PATH with a bare name',
    isSingleExecutable: true,
    called: 'kubectl-berth',
    program: link,
  },
  {
    it: 'the executable with a name that is not in the PATH',
    isSingleExecutable: true,
    called: 'x',
    program: execPath,
  },
  { it: 'a relative path', isSingleExecutable: true, called: './kubectl-berth', program: './kubectl-berth' },
])('is $it', ({ isSingleExecutable, called, program }) => {
  const exists = (path: string): boolean => path === link
  const path = '/usr/bin::/home/me/.krew/bin'
  expect(programPath({ argv: [execPath, called], execPath, isSingleExecutable, path, exists })).toBe(program)
})
