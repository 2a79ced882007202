/** Which part of a page somebody looks at. */
import { useEffect, useState } from 'preact/hooks';

/** Whether an element is on the screen now; `margin` is as CSS writes lengths. */
export function useOnScreen(element: { readonly current: Element | null }, margin = '0px') {
  const [isOnScreen, setOnScreen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => setOnScreen(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: margin },
    );
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return isOnScreen;
}
