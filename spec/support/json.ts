/** Bodies of answers in tests, which look into them freely. */

// biome-ignore lint/suspicious/noExplicitAny: a test's expectations are the check of the shape.
export async function jsonOf(response: Response | Promise<Response>): Promise<any> {
  return (await response).json();
}
