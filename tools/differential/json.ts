/** A JSON object whose fields the generators fill in. */
export type Json = Record<string, unknown>
