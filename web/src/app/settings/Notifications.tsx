// Desktop notifications: asked for only when a person switches them on.

import { type ReactElement, useState } from "react";
import { useSettings } from "../../state/settings.js";
import { strings } from "../../strings.js";
import { Switch } from "./Switch.js";

const s = strings.settings;

export function Notifications(): ReactElement {
  const { notifications, change } = useSettings();
  const [permission, setPermission] = useState(() => ("Notification" in window ? Notification.permission : "none"));
  const turn = async (on: boolean): Promise<void> => {
    if (!on) {
      change({ notifications: false });
      return;
    }
    const answer = await Notification.requestPermission();
    setPermission(answer);
    change({ notifications: answer === "granted" });
  };
  const how =
    permission === "none"
      ? s.notificationsNone
      : permission === "denied"
        ? s.notificationsBlocked
        : s.notificationsHow;
  return (
    <Switch
      label={s.notifications}
      how={how}
      on={notifications && permission === "granted"}
      disabled={permission === "none" || permission === "denied"}
      onChange={(on) => void turn(on)}
    />
  );
}
