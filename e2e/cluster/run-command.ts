import { spawn } from 'node:child_process'

/** Exit status and output of a command. */
export interface CommandResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Options of a command. */
export interface CommandOptions {
  /** Default: the working directory of this process. */
  readonly cwd?: string
  /** Variables to add to this process's environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** The command is killed after this time and counts as failed. */
  readonly timeoutMs?: number
  /** Kills the command with SIGKILL. It then counts as failed. */
  readonly signal?: AbortSignal
  /** Called with each chunk of output. */
  readonly onOutput?: (text: string) => void
}

/** Runs a program and waits for it to end. Does not reject because of its exit status. */
export async function runCommand(
  program: string,
  args: readonly string[],
  { cwd, env, input, timeoutMs = 120_000, signal, onOutput }: CommandOptions = {},
): Promise<CommandResult> {
  return await new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      ...(signal !== undefined && { signal }),
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      onOutput?.(text)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
      onOutput?.(text)
    })
    child.once('error', (error) => {
      // A killed command ends with 'close'.
      if (signal?.aborted === true) return
      resolve({ status: 127, stdout, stderr: `${stderr}start ${program}: ${error.message}` })
    })
    child.once('close', (code, killedBy) => {
      const isLate = killedBy !== null && signal?.aborted !== true
      const reason = isLate ? `${stderr === '' ? '' : '\n'}killed after ${timeoutMs / 1000} s` : ''
      resolve({ status: code ?? 1, stdout, stderr: `${stderr}${reason}` })
    })
    child.stdin.end(input)
  })
}

/**
 * Runs a program that must succeed.
 *
 * @returns Its stdout.
 * @throws Error with the command and the end of its output when its exit status is not 0.
 */
export async function runOrThrow(program: string, args: readonly string[], options?: CommandOptions): Promise<string> {
  const { status, stdout, stderr } = await runCommand(program, args, options)
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')}: exit ${status}: ${(stderr || stdout).trim().slice(-2000)}`)
  return stdout
}
