import type { UiMessage } from '../model/ui-model.ts'

const STORED = 'berth-token'

/** The server does not accept the token of this page. */
export class TokenError extends Error {}

/**
 * Returns the token from the fragment of the address, or in exchange for the code there, and hides the fragment: the
 * address may be copied or kept in the history of the browser. A reload finds the token in the storage of this tab.
 */
export async function takeToken(): Promise<string> {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const code = fragment.get('code')
  const given = fragment.get('token') ?? (code === null ? undefined : await exchange(code))
  if (given === undefined) return sessionStorage.getItem(STORED) ?? ''
  sessionStorage.setItem(STORED, given)
  history.replaceState(undefined, '', location.pathname)
  return given
}

/** Undefined when the code was used before. */
async function exchange(code: string): Promise<string | undefined> {
  const response = await fetch('/api/token', { method: 'POST', headers: { authorization: `Bearer ${code}` } })
  return response.ok ? await response.text() : undefined
}

/**
 * Requests data of the server.
 *
 * @throws TokenError without a valid token, Error for other failures.
 */
export async function requestData(path: string, token: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(path, { headers: { authorization: `Bearer ${token}` }, signal })
  if (response.status === 401) throw new TokenError((await response.text()).trim())
  if (!response.ok) throw new Error((await response.text()).trim())
  return response
}

/**
 * Reads the change stream until it ends.
 *
 * @yields each message
 * @throws what {@link requestData} throws, and TypeError when the connection breaks.
 */
export async function* uiMessages(token: string, signal: AbortSignal): AsyncGenerator<UiMessage> {
  const { body } = await requestData('/api/changes', token, signal)
  if (body === null) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let parts: string[] = []
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const lines = value.split('\n')
    const rest = lines.pop() ?? ''
    for (const line of lines) {
      yield JSON.parse([...parts, line].join('')) as UiMessage
      parts = []
    }
    // Joined once at the end of the line: the first line may have megabytes.
    if (rest !== '') parts.push(rest)
  }
}
